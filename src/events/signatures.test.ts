import { expect, test } from 'vitest'
import { signatureHeaders } from './signatures.ts'

const EVENT = { id: 'evt_1', type: 'call.created', at: 0 }

// What the library of Twilio for receivers expects (twilio 6.3.1).
test.each([
  [
    'https://mycompany.com/myapp.php?foo=1&bar=2',
    'To=%2B18005551212&From=%2B12349013030&Digits=1234&Caller=%2B12349013030&CallSid=CA1234567890ABCDE',
    '0/KCTR6DLpKmkAf8muzZqo1nDgQ=',
  ],
  ['https://mycompany.com/myapp.php', 'b=2&a=x&b=1&b=2', 'wveOrq/5Wp5Svpr7hfis5ee0X6s='],
])('the signature of Twilio is that of its library: %s', async (url, body, signature) => {
  const signed = { url, body, event: EVENT, time: 0, secrets: ['12345'] }

  expect(await signatureHeaders('twilio', signed)).toEqual({ 'X-Twilio-Signature': signature })
})
