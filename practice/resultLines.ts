interface Results {
	/** The runs of each node, by the node's name. */
	readonly runs: Readonly<
		Record<
			string,
			readonly {
				readonly data?: {
					readonly main?: readonly (readonly { readonly json: object }[] | null)[];
				};
			}[]
		>
	>;
	readonly error?: { readonly message: string; readonly description?: string | null };
}

/** What came of a workflow, for the terminal: a line for each node. */
export function resultLines({ runs, error }: Results): string {
	const lines = Object.entries(runs).map(([name, [run]]) => {
		const items = run?.data?.main?.[0] ?? [];
		const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
		const [first] = items;
		const sample = first === undefined ? '' : summaryOf(first.json);
		return `${name.padEnd(24)} ${count.padStart(10)}   ${shorten(sample, 80)}`.trimEnd();
	});
	if (error !== undefined) lines.push(error.message, error.description ?? '');
	return lines
		.filter((line) => line !== '')
		.map((line) => `          ${line}`)
		.join('\n');
}

/** The first fields of an item that a person can read. */
function summaryOf(json: object): string {
	const fields = Object.entries(json).filter(
		([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '',
	);
	return fields
		.slice(0, FIELDS_SHOWN)
		.map(([name, value]) => `${name}: ${String(value)}`)
		.join(', ');
}

const FIELDS_SHOWN = 4;

const shorten = (text: string, length: number): string =>
	text.length > length ? `${text.slice(0, length)}…` : text;
