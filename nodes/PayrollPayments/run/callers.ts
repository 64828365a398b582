/*
 * Who runs a node, in addition to workflows that people build (n8n 2.41.3).
 * - An AI agent: the node's type ends in "Tool".
 * - n8n's assistant can execute a single node in a temporary workflow
 *   (execute-node.service.js). n8n's agents do so with tools (ephemeral-node-executor.js).
 * - An evaluation may hand requests to a model, and its answer to the node (authentication.js).
 * - A chat runs each message in a workflow that is deleted afterwards (chat-hub-workflow.service.js).
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { UserError } from '../shared/errors';
import { isRecord } from '../shared/json';
import type { Operation } from './operation';
import { scopeOf } from './runContext';

/**
 * Refuses what only people may do, and changes that a run of this kind can't make safely. The parameters
 * count as saved, since an agent could fill in an expression.
 * @throws {UserError} that says how a person can do it
 */
export function refuseCaller(context: IExecuteFunctions, operation: Operation): void {
	const { type, parameters, retryOnFail } = context.getNode();
	const { action, effect, isForPeople, optionsForPeople = {}, needsKeptWorkflow } = operation;
	const saved: unknown = parameters.options;
	const options = isRecord(saved) ? saved : {};
	const isAgent = type.endsWith('Tool');
	const isChange = effect === 'write' && options.checkOnly !== true;
	if (isAgent && isForPeople === true) refuseAgent(action, 'Sign in outside the AI agent');
	if (isAgent && isChange && parameters.allowToolWrites !== true) {
		const isText = typeof parameters.allowToolWrites === 'string';
		const byHand = 'Allow Writes by AI can’t be an expression: set it by hand';
		refuseAgent(action, isText ? byHand : 'To allow it, turn on Allow Writes by AI in the node');
	}
	for (const [name, label] of isAgent ? Object.entries(optionsForPeople) : []) {
		if ((options[name] ?? '') === '') continue;
		refuseAgent(label, 'Clear it, and use it in a node outside the AI agent');
	}
	if (!isChange) return;
	/* Outside n8n's engine, as in MCP, nothing tells a second try from another call. */
	if (isAgent && retryOnFail === true && !scopeOf(context).hasOwnRun) {
		refuseAgent(action, 'Turn off Retry On Fail, with which it could be done twice');
	}
	if (runsAlone(context)) {
		refuse(
			action,
			'nothing is connected before this node. Connect this node to a trigger',
			'This keeps n8n’s assistant, which can run single nodes, from changing anything. Check Only works here, too.',
		);
	}
	if (isEvaluation(context)) {
		refuse(
			action,
			'this is an evaluation, in which n8n may make up what the service answers',
			'Use Check Only in evaluations.',
		);
	}
	if (needsKeptWorkflow !== undefined && !isKept(context)) {
		refuse(action, needsKeptWorkflow.reason, needsKeptWorkflow.hint);
	}
}

function refuse(what: string, reason: string, hint?: string): never {
	throw new UserError(`“${what}” was refused because ${reason}`, { hint });
}

function refuseAgent(what: string, next: string): never {
	refuse(what, `an AI agent called it. ${next}`);
}

/** Whether nothing leads to the node: no other node, and nobody who uses it as a tool. */
function runsAlone(context: IExecuteFunctions): boolean {
	if (context.getParentNodes(context.getNode().name).length > 0) return false;
	if (context.isToolExecution()) return false;
	try {
		/* An agent is the source of what its tools are given. */
		return context.getInputSourceData().previousNode === '';
	} catch {
		/* n8n throws where there's none. */
		return true;
	}
}

/** Whether it's an evaluation, or a sub-workflow of one. */
function isEvaluation(context: IExecuteFunctions): boolean {
	if (context.getMode() === 'evaluation') return true;
	return context.getWorkflowDataProxy(0).$evaluation !== undefined;
}

/** Whether n8n's store of keys can know the workflow again. */
function isKept(context: IExecuteFunctions): boolean {
	return (context.getWorkflow().id ?? '') !== '' && context.getMode() !== 'chat';
}
