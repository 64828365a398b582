import { entityLabel } from '../../api/credentials';
import { hasPrefix } from '../../contract/identifiers';
import { INVITE_ROLES, ROLE_NAMES } from '../../contract/roles';
import { columnsUnlike, rowError, spellingsOf, teamColumns, textOfCell } from '../../run/sheetRows';
import type { RunContext } from '../../run/runContext';
import { asWord } from '../../shared/redaction';

import type { InviteeRow } from './inviteeRow';
import type { Group } from './requests';

// The columns of a sheet for what the form decides: the role, the team and Anonymous.

const [YES, NO] = [
	['true', 'yes', '1'],
	['false', 'no', '0'],
];

type Target = Pick<Group, 'teamId' | 'role' | 'anonymous'>;

/** Of each field: what the form says, in words, and what its columns may say then, or in any form. */
function fieldsOf({ role, teamId, anonymous }: Target, { credentials: { entities } }: RunContext) {
	const teams = entities.map(({ id }) => id).filter((id) => hasPrefix(id, 'te'));
	return [
		{
			name: 'teamId',
			said: `Team ID is ${entityLabel(teamId, entities)}`,
			same: spellingsOf(teamColumns([teamId], entities)),
			any: spellingsOf(teamColumns(teams, entities)),
		},
		{
			name: 'role',
			said: `Role is ${ROLE_NAMES[role]}`,
			same: spellingsOf({ role: [role, ROLE_NAMES[role]] }),
			any: spellingsOf({ role: INVITE_ROLES.flatMap((each) => [each, ROLE_NAMES[each]]) }),
		},
		{
			name: 'anonymous',
			said: `Anonymous is ${anonymous ? 'on' : 'off'}`,
			same: spellingsOf({ anonymous: anonymous ? YES : NO }),
			any: spellingsOf({ anonymous: [...YES, ...NO] }),
		},
	] as const;
}

/**
 * Compares these columns with the fields of the form that are the same for all rows: another one is an
 * expression, and may have read its column. A column that means something else is named in a hint.
 * @returns refuses a row that says what the form could say, but doesn't
 */
export function compareWithForm(
	rows: ReadonlyMap<{ readonly input: Target }, InviteeRow>,
	run: RunContext,
): (row: InviteeRow) => void {
	const [first, ...others] = [...rows.keys()].map(({ input }) => input);
	if (first === undefined) return () => {};
	const all = [...rows.values()];
	const unlike = fieldsOf(first, run).filter(
		({ name, same }) =>
			others.every((each) => each[name] === first[name]) && columnsUnlike(all, same).size > 0,
	);
	for (const header of unlike.flatMap(({ same }) => [...columnsUnlike(all, same)])) {
		run.hint(`Column ${asWord(header)} isn’t used: the node’s own field decides`);
	}
	return (row) => {
		for (const { said, same, any } of unlike) {
			const unknown = columnsUnlike([row], any);
			for (const header of columnsUnlike([row], same)) {
				const cell = textOfCell(row.cells[header]);
				if (unknown.has(header) && !hasPrefix(cell, 'te')) continue;
				throw rowError(
					row,
					`${asWord(header)} is ${asWord(cell)}, and the form’s ${said}`,
					'Or change the field of the node. If that reads this column by an expression, or the column means something else, rename the column.',
				);
			}
		}
	};
}
