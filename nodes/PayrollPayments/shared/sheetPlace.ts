import { asWord } from './redaction';

/** Where a row of a sheet or a list is, for people. */
export interface SheetPlace {
	readonly number: number;
	/** Whether that's the sheet's own number, which counts the header, too. */
	readonly isOfSheet?: boolean;
	/** The user's own number for what the row is about. */
	readonly reference?: string;
}

/** "row 7 of the sheet (PAY-007)". */
export function placeName({ number, isOfSheet = false, reference }: SheetPlace): string {
	const name = isOfSheet ? `row ${number} of the sheet` : `row ${number}`;
	return reference === undefined ? name : `${name} (${asWord(reference)})`;
}
