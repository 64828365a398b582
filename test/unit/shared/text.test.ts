import { asTyped } from '../../../nodes/PayrollPayments/shared/text';

const asCode = (typed: string) => [typed, '7F3A-91C2-1'] as const;

it.each<readonly [string, string]>([
	...['7F3A-91C2-1', ' 7F3A‑91C2–1. ', '„7F3A—91C2−1“', '\ufeff7F3A-91C2-1\u00a0'].map(asCode),
	...["'7F3A-91C2-1', ", '”7F3A-91C2-1".'].map(asCode),
	['`7F3A-91C2-0D4E-8B6G`', '7F3A-91C2-0D4E-8B6G'],
	['7F3A 91C2\u00a00D4E 8B6G\u200b;', '7F3A 91C2\u00a00D4E 8B6G'],
	['te-a1B2c3D4e5_-', 'te-a1B2c3D4e5_-'],
	['a"b', 'a"b'],
	['...', ''],
])('%j is read as %j', (typed, code) => {
	expect(asTyped(typed)).toBe(code);
});
