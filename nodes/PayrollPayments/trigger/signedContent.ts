/** What a sender signs: literal text and placeholders in the order in which they are signed. */
export type SignedContent = ReadonlyArray<
	{ readonly text: string } | { readonly placeholder: 'body' | 'timestamp' | 'id' }
>;

/** The parts of a delivery that a signature covers. */
export interface SignedParts {
	readonly body: string | Uint8Array;
	readonly timestamp?: string;
	readonly id?: string;
}

const PLACEHOLDERS = ['{body}', '{timestamp}', '{id}', '{method}'];

/**
 * Parses a template such as `{timestamp}.{body}`.
 * @returns why it's unusable, to be put after the field's label; or the content
 */
export function parseTemplate(template: string): SignedContent | string {
	const names: string[] = template.match(/\{\w+\}/g) ?? [];
	const unknown = names.find((name) => !PLACEHOLDERS.includes(name));
	if (unknown !== undefined) {
		return `contains ${unknown.slice(0, 30)}, which isn't one of ${PLACEHOLDERS.join(', ')}`;
	}
	if (!names.includes('{body}')) return 'must contain {body}, e.g. {timestamp}.{body}';
	return template
		.split(/(\{\w+\})/)
		.filter((part) => part !== '')
		.map((part) => {
			if (part === '{body}') return { placeholder: 'body' };
			if (part === '{timestamp}') return { placeholder: 'timestamp' };
			if (part === '{id}') return { placeholder: 'id' };
			/* n8n hands only POST requests to the trigger. */
			return { text: part === '{method}' ? 'POST' : part };
		});
}

/** Whether a signature covers this part of the delivery. */
export function covers(content: SignedContent, placeholder: 'timestamp' | 'id'): boolean {
	return content.some((part) => 'placeholder' in part && part.placeholder === placeholder);
}

/** The signed bytes, piece by piece, so that the body needn't be copied. */
export function fillTemplate(
	content: SignedContent,
	parts: SignedParts,
): Array<string | Uint8Array> {
	return content.map((part) => ('text' in part ? part.text : (parts[part.placeholder] ?? '')));
}
