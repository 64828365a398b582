import { hasPrefix } from '../../contract/identifiers';
import { INVITE_ROLES, ROLE_NAMES } from '../../contract/roles';
import { columnsUnlike, rowError, spellingsOf, teamColumns, textOfCell } from '../../run/columns';
import type { RunContext } from '../../run/runContext';
import { groupsOf } from '../../shared/lists';
import { asWord } from '../../shared/redaction';

import type { InviteeRow } from './columns';
import { targetOf, type Group } from './requests';

// The columns of a sheet for what the form decides: the role, the team and Anonymous.

const [YES, NO] = [
	['true', 'yes', '1'],
	['false', 'no', '0'],
];

type Target = Pick<Group, 'teamId' | 'role' | 'anonymous'>;

/** What the columns may say where it is what the form says. */
function spellingsOfForm({ role, teamId, anonymous }: Target, { credentials }: RunContext) {
	return spellingsOf({
		...teamColumns([teamId], credentials.entities),
		role: [role, ROLE_NAMES[role]],
		anonymous: anonymous ? YES : NO,
	});
}

/** What they may say where it is what the form could say, too. */
function spellingsOfAnyForm({ credentials: { entities } }: RunContext) {
	const teams = entities.map(({ id }) => id).filter((id) => hasPrefix(id, 'te'));
	return spellingsOf({
		...teamColumns(teams, entities),
		role: INVITE_ROLES.flatMap((each) => [each, ROLE_NAMES[each]]),
		anonymous: [...YES, ...NO],
	});
}

/**
 * Compares these columns with the form, unless that says something else for each row: then an expression may
 * have read them. A column that means something else is named in a hint.
 * @returns refuses a row that says what the form could say, but doesn't
 */
export function compareWithForm(
	rows: ReadonlyMap<{ readonly input: Target }, InviteeRow>,
	context: RunContext,
): (row: InviteeRow) => void {
	const targets = groupsOf([...rows.keys()], ({ input: { teamId, role, anonymous } }) =>
		JSON.stringify([teamId, role, anonymous]),
	);
	const [first] = rows.keys();
	if (first === undefined || targets.size > 1) return () => {};
	const ofForm = spellingsOfForm(first.input, context);
	const unused = columnsUnlike([...rows.values()], ofForm);
	if (unused.size === 0) return () => {};
	const ofAnyForm = spellingsOfAnyForm(context);
	const target = targetOf(first.input, context);
	for (const header of unused) {
		context.hint(`Column ${asWord(header)} isn’t used: everyone is invited ${target}`);
	}
	return (row) => {
		const unknown = columnsUnlike([row], ofAnyForm);
		for (const header of columnsUnlike([row], ofForm)) {
			const cell = textOfCell(row.columns[header]);
			if (unknown.has(header) && !hasPrefix(cell, 'te')) continue;
			throw rowError(
				row,
				`${asWord(header)} is ${asWord(cell)}, and the node invites ${target}${first.input.anonymous ? '' : ', by name'}`,
				' Or set the node’s field by an expression; if the column means something else, rename it.',
			);
		}
	};
}
