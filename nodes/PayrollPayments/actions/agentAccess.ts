import type { INode } from 'n8n-workflow';

import { isCheckOnly } from './commonOptions';
import type { Operation } from './defineOperation';
import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';

/**
 * Stops an AI agent from running an operation or setting an option that is reserved for people.
 * @throws {UserError} that says how a person can allow it
 */
export function refuseAgentWrites(node: INode, { asTool, action, options }: Operation): void {
	if (!node.type.endsWith('Tool')) return;
	/* Read as saved, since an agent could fill in an expression. */
	const { allowToolWrites, options: saved } = node.parameters;
	if (asTool === 'never') {
		throw refusal(action, 'Sign in outside the AI agent');
	}
	if (asTool === 'withPermission' && !isCheckOnly(saved)) {
		if (typeof allowToolWrites === 'string') {
			throw refusal(action, "Allow Writes by AI can't be an expression: set it by hand");
		}
		if (allowToolWrites !== true) {
			throw refusal(action, 'To allow it, turn on Allow Writes by AI in the node');
		}
	}
	for (const [name, field] of Object.entries(options)) {
		const value: unknown = isRecord(saved) ? Reflect.get(saved, name) : undefined;
		if (field.refusedInTool === true && (value ?? '') !== '') {
			const label = field.form.displayName;
			throw refusal(label, 'Clear it, and use it in a node outside the AI agent');
		}
	}
}

function refusal(what: string, next: string): UserError {
	return new UserError(`“${what}” was refused because an AI agent called it. ${next}`, {
		hint: 'Nothing was sent.',
		item: 0,
	});
}
