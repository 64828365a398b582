import { NodeOperationError, type INode } from 'n8n-workflow';

import { isCheckOnly } from './commonOptions';
import type { Operation } from './defineOperation';
import { typedByPerson } from './fields/field';

/**
 * Stops an AI agent from running an operation or setting an option that is reserved for people.
 * @throws what n8n shows
 */
export function refuseAgentWrites(node: INode, { asTool, action, options }: Operation): void {
	if (!node.type.endsWith('Tool')) return;
	/* Read as saved, since an agent could fill in an expression. */
	const { allowToolWrites, options: saved } = node.parameters;
	if (asTool === 'never') {
		throw refusal(node, action, 'Sign in outside the AI agent');
	}
	if (asTool === 'withPermission' && allowToolWrites !== true && !isCheckOnly(saved)) {
		throw refusal(node, action, 'To allow it, turn on Allow Writes by AI in the node');
	}
	for (const [name, field] of Object.entries(options)) {
		const value: unknown =
			typeof saved === 'object' && saved !== null ? Reflect.get(saved, name) : '';
		if (field.refusedInTool === true && (typedByPerson(value) ?? '') !== '') {
			const label = field.form.displayName;
			throw refusal(node, label, 'Clear it, and use it in a node outside the AI agent');
		}
	}
}

function refusal(node: INode, what: string, next: string): NodeOperationError {
	return new NodeOperationError(
		node,
		`“${what}” was refused because an AI agent called it. ${next} [item 0]`,
		{ description: 'Nothing was sent.', itemIndex: 0 },
	);
}
