/** What a sender signs, e.g. `{timestamp}.{body}`. */
export interface SignedContent {
	readonly template: string;
	/** Literal text and placeholders in the order in which they are signed. */
	readonly pieces: readonly string[];
}

const PLACEHOLDERS = ['{body}', '{timestamp}', '{id}', '{method}'];

/** @returns the content, or why the template is unusable, to be put after the field's label */
export function parseTemplate(template: string): SignedContent | string {
	const names: string[] = template.match(/\{\w+\}/g) ?? [];
	const unknown = names.find((name) => !PLACEHOLDERS.includes(name));
	if (unknown !== undefined) {
		return `contains ${unknown.slice(0, 30)}, which isn't one of ${PLACEHOLDERS.join(', ')}`;
	}
	if (!names.includes('{body}')) return 'must contain {body}, e.g. {timestamp}.{body}';
	return { template, pieces: template.split(/(\{\w+\})/) };
}

/** Whether a signature covers this part of the delivery. */
export function covers({ pieces }: SignedContent, placeholder: '{timestamp}' | '{id}'): boolean {
	return pieces.includes(placeholder);
}

/** The signed bytes, piece by piece, so that the body needn't be copied. */
export function fillTemplate(
	{ pieces }: SignedContent,
	{ body, timestamp, id }: { body: Uint8Array; timestamp: string; id: string },
): Array<string | Uint8Array> {
	/* n8n hands only POST requests to the trigger. */
	const values = new Map<string, string | Uint8Array>([
		['{body}', body],
		['{timestamp}', timestamp],
		['{id}', id],
		['{method}', 'POST'],
	]);
	return pieces.map((piece) => values.get(piece) ?? piece);
}
