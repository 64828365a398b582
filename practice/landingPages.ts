/** A link on the list of examples. */
export interface Link {
	readonly text: string;
	readonly url: string;
	/** What is there. */
	readonly about: string;
}

const STYLE = `
	:root { color-scheme: light dark }
	body { max-width: 48rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; font: 15px/1.5 system-ui, sans-serif }
	h1 { font-size: 1.625rem; margin: 0 0 0.5rem }
	h2 { font-size: 1.125rem; margin: 2rem 0 0.5rem }
	p, ul { margin: 0; padding: 0 }
	li { list-style: none; padding: 0.5rem 0; border-top: 1px solid light-dark(#e3e6e2, #2b3540) }
	a { color: light-dark(#0f766e, #2dd4bf) }
	span { display: block; color: light-dark(#586474, #9ba7b4) }
	span::first-letter { text-transform: uppercase }
`;

const escaped = (text: string): string =>
	text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string, more = ''): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${more}<title>${escaped(title)}</title>
<style>${STYLE}</style>
<h1>${escaped(title)}</h1>
${content}
</html>
`;

/** Looks again every two seconds, until the link leads where it should. */
export const WAITING_PAGE = page(
	'n8n is restarting',
	'<p role="status">This usually takes less than half a minute, but can take more than two on a busy machine. This page then continues by itself.</p>',
	'<meta http-equiv="refresh" content="2">\n',
);

/** Links in groups, e.g. to the examples. */
export function listPage(title: string, groups: ReadonlyMap<string, readonly Link[]>): string {
	const item = ({ text, url, about }: Link): string =>
		`<li><a href="${escaped(url)}">${escaped(text)}</a> <span>${escaped(about)}</span></li>`;
	const content = [...groups].map(
		([name, links]) => `<h2>${escaped(name)}</h2>\n<ul>\n${links.map(item).join('\n')}\n</ul>`,
	);
	return page(title, content.join('\n'));
}
