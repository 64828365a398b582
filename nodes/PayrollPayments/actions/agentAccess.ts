import type { INode } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import type { Operation } from './defineOperation';

/**
 * Stops an AI agent from running an operation or setting an option that is reserved for people. The
 * parameters count as saved, since an agent could fill in an expression.
 * @throws {UserError} that says how a person can allow it
 */
export function refuseAgentWrites(node: INode, operation: Operation): void {
	if (!node.type.endsWith('Tool')) return;
	const { allowToolWrites } = node.parameters;
	const options: unknown = node.parameters.options;
	const saved = isRecord(options) ? options : {};
	const refuse = (what: string, next: string) => {
		throw new UserError(`“${what}” was refused because an AI agent called it. ${next}`, {
			hint: 'Nothing was sent.',
		});
	};
	if (operation.isForPeople === true) refuse(operation.action, 'Sign in outside the AI agent');
	const needsPermission = operation.effect === 'write' && saved.checkOnly !== true;
	if (needsPermission && allowToolWrites !== true) {
		const next =
			typeof allowToolWrites === 'string'
				? "Allow Writes by AI can't be an expression: set it by hand"
				: 'To allow it, turn on Allow Writes by AI in the node';
		refuse(operation.action, next);
	}
	for (const [name, field] of Object.entries(operation.options)) {
		if (field.refusedInTool === true && (saved[name] ?? '') !== '') {
			refuse(field.form.displayName, 'Clear it, and use it in a node outside the AI agent');
		}
	}
}
