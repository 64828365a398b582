import { anyText } from '../shared/text';

/** What a line of a field holds, or what's wrong with it. */
type Read<Value> = { readonly value: Value } | { readonly fault: string };

/** A field with an entry on each line; blank lines don't count. */
export function linesOf<Value>(read: (line: string, above: readonly Value[]) => Read<Value>) {
	return anyText.transform((text, context): readonly Value[] => {
		const values: Value[] = [];
		for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
			if (line.trim() === '') continue;
			const entry = read(line.trim(), values);
			if ('value' in entry) values.push(entry.value);
			else {
				const message = `is wrong in line ${index + 1}: ${entry.fault}`;
				context.addIssue({ code: 'custom', message });
			}
		}
		return values;
	});
}
