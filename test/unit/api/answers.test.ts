import {
	instantPaymentAnswer,
	readEnvelope,
} from '../../../nodes/PayrollPayments/api/schemas/answers';

it('keeps all digits of numbers that JSON.parse would round', () => {
	const body = '{"success":true,"data":[{"a":12345678901234567890,"b":0.10},[1e400,"1e400",7]]}';
	const [record, list] = Object(readEnvelope(body)).data;
	expect([record.a, record.b, list]).toEqual(['12345678901234567890', 0.1, ['1e400', '1e400', 7]]);
});

it('is none where exact digits alone would make a body JSON', () => {
	expect(readEnvelope('{"success":true,"data":{12345678901234567890:1}}')).toBeUndefined();
});

it.each(['', ' ', 'null', 'undefined', 'None', ' nil', 'NaN', '[object Object]'])(
	'the transaction %j is none',
	(transaction) => {
		expect(instantPaymentAnswer.safeParse({ transaction }).success).toBe(false);
	},
);
