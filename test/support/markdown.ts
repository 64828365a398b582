/** A table in Markdown. */
export function markdownTable(
	heading: readonly string[],
	rows: ReadonlyArray<readonly unknown[]>,
): string {
	return [heading, heading.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.map(String).join(' | ')} |`)
		.join('\n');
}
