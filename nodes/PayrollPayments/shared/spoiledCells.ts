import type { z } from 'zod';

/**
 * What a spreadsheet shows in place of a value, alone or inside a text that was put together; in other
 * languages than English alone, e.g. #BEZUG!, #NV and #N/B.
 */
const FORMULA_ERROR =
	/#(?:N\/A|NAME\?|GETTING_DATA|#{3,}|(?:REF|VALUE|DIV\/0|NUM|NULL|ERROR|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|EXTERNAL)!)|^(?:Loading\.\.\.|Err:\d{3}|#\S{1,20}[!?]|#NV|#YOK|#\p{L}\/\p{L})$/u;

/** Refuses the error of a formula, which would be taken for a name or a reference. */
export function refuseFormulaError(value: string, context: z.RefinementCtx): void {
	const [error] = FORMULA_ERROR.exec(value) ?? [];
	if (error === undefined) return;
	context.addIssue({ code: 'custom', message: `has ${error}, the error of a formula in a sheet` });
}
