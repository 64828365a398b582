/** Where a mutant is, and what it changes. */
export interface Place {
	/** Below nodes/PayrollPayments. */
	readonly file: string;
	/** The line in which the replaced text begins, without its indentation. */
	readonly line: string;
	readonly from: string;
	readonly to: string;
}

/** A mutant that no test can or should notice. `npm run test:mutation` fails once one does. */
export interface Survivor extends Place {
	readonly why: string;
}

export const SURVIVORS: readonly Survivor[] = [
	{
		file: 'idempotency/paymentLedger.ts',
		line: '} catch {',
		from: '{\n\t\treturn undefined;\n\t}',
		to: '{}',
		why: 'A function that returns nothing returns undefined as well.',
	},
];
