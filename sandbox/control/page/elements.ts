/*
 * Everything that is shown goes through text nodes and properties, never through markup: answers of
 * receivers, names and events may contain anything.
 */

/** The element of page.html with this identifier. Throws if it isn't one of that kind. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
	const found = document.getElementById(id);
	if (found instanceof kind) return found;
	throw new Error(`page.html has no ${kind.name} #${id}`);
}

export const input = (id: string): HTMLInputElement => byId(id, HTMLInputElement);
export const select = (id: string): HTMLSelectElement => byId(id, HTMLSelectElement);
export const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);

type Child = Node | string;

/** A new element with a class and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	className: string,
	...children: Child[]
): HTMLElementTagNameMap[Name] {
	const made = document.createElement(name);
	if (className !== '') made.className = className;
	made.append(...children);
	return made;
}

/** A link that opens in another tab. */
export function linkTo(url: string, text: string): HTMLAnchorElement {
	const made = element('a', '', text);
	made.href = url;
	made.target = '_blank';
	made.rel = 'noopener noreferrer';
	return made;
}

/** A text whose addresses can be clicked. */
export function withLinks(text: string): Child[] {
	return text
		.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/)
		.map((part, index) => (index % 2 === 1 ? linkTo(part, part) : part));
}

/** A button that copies a text, named after what it copies. */
function copyButton(label: string, text: string): HTMLButtonElement {
	const made = element('button', 'copy', 'Copy');
	made.type = 'button';
	made.setAttribute('aria-label', `Copy ${label}`);
	made.addEventListener('click', () => void copy(made, text));
	return made;
}

/** Copies a text and says so in the button for a moment. */
export async function copy(from: HTMLButtonElement, text: string): Promise<void> {
	const before = from.dataset.text ?? from.textContent ?? '';
	from.dataset.text = before;
	from.textContent = await navigator.clipboard.writeText(text).then(
		() => 'Copied',
		() => 'Can’t copy',
	);
	setTimeout(() => (from.textContent = before), 1_500);
}

/** A value in a fixed-width font with a button that copies it. */
export function copyable(label: string, value: string): HTMLElement {
	return element('span', 'copyable', element('code', '', value), copyButton(label, value));
}

/** Replaces the options of a menu, and keeps the choice if it is still there. */
export function setOptions(
	menu: HTMLSelectElement,
	options: readonly (readonly [value: string, text: string])[],
): void {
	const chosen = menu.value;
	const shown = options.length === 0 ? [['', 'None']] : options;
	menu.replaceChildren(...shown.map(([value, text]) => new Option(text, value)));
	if (options.some(([value]) => value === chosen)) menu.value = chosen;
	menu.disabled = options.length === 0;
}

/** Replacing the options of an open menu would close it. */
export function setIfChanged(
	menu: HTMLSelectElement,
	options: readonly (readonly [string, string])[],
): void {
	const shown = menu.disabled ? [] : [...menu.options].map(({ value, text }) => [value, text]);
	const isNew = menu.options.length === 0;
	if (isNew || JSON.stringify(shown) !== JSON.stringify(options)) setOptions(menu, options);
}

/** The time of day, e.g. 14:03:09. */
export const timeOf = (at: string | number): string => new Date(at).toLocaleTimeString('en-GB');

/** Does something, and shows what came of it in the element with this identifier. */
export async function report(id: string, work: () => Promise<string>): Promise<void> {
	const line = byId(id, HTMLElement);
	try {
		line.textContent = await work();
		line.className = '';
	} catch (error) {
		line.textContent = error instanceof Error ? error.message : String(error);
		line.className = 'bad';
	}
}

/** Calls `work` when a form is submitted. */
export function onSubmit(id: string, work: () => void): void {
	byId(id, HTMLFormElement).addEventListener('submit', (event) => {
		event.preventDefault();
		work();
	});
}
