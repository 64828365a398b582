import { parseSignInMessage } from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
import { MESSAGE } from './genuineMessage';

let mockFault = '';

jest.mock('@spruceid/siwe-parser', () => ({
	ParsedMessage: jest.fn(() => {
		throw new Error(mockFault);
	}),
}));

/* Another version of siwe’s parser could quote the message, which anyone may have written. */
it.each([
	['line 3: invalid version', 'invalid version'],
	['first\nline 12: invalid nonce\nlast', 'invalid nonce'],
	...[
		...['line 3: found <b>', 'line 3: pay, now', 'on line 3: invalid version', 'line 3: '],
		`line 3: ${'a'.repeat(101)}`,
	].map((fault) => [fault, 'a line is missing, out of place or misspelled']),
])('of the parser’s fault %j, the error says: %s', (fault, words) => {
	mockFault = fault;
	expect(() => parseSignInMessage(MESSAGE)).toThrow(
		`The sign-in message isn’t a valid EIP-4361 message: ${words}`,
	);
});
