import type { SettingsInput } from '../sandbox/settings';

/** What the suites of the nodes run against; `{}` is the sandbox's own default. */
export const SUITE_SETTINGS: SettingsInput = {};
