import { actionForm, actionSubtitle } from './form';

/*
 * The build evaluates this file and bundles only the values, so that n8n can load the node without
 * loading its operations.
 */

export const properties = actionForm();
export const subtitle = actionSubtitle();
