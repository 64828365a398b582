/** A table in Markdown. */
export function markdownTable(
	heading: readonly string[],
	rows: ReadonlyArray<readonly unknown[]>,
): string {
	return [heading, heading.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.map(String).join(' | ')} |`)
		.join('\n');
}

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, '')
		.replaceAll(' ', '-');
}
