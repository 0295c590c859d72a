import { describe, expect, test } from 'vitest'
import { toCurl } from './curl.ts'
import { sendReplay, toReplay } from './replay.ts'

const BASE = 'http://127.0.0.1:4010/v1'

function recorded(
  headers: readonly (readonly [string, string])[],
  rest: { readonly target?: string; readonly method?: string; readonly body?: string } = {},
) {
  const { target = '/books', method = 'GET', body } = rest
  const request = { url: `https://other.example${target}`, headers, ...(body && { body }) }
  return { method, target, request }
}

describe('a request that is sent again', () => {
  test.each([
    [
      ['Authorization', 'Bearer …free'],
      ['Authorization', 'Bearer KEY'],
    ],
    [
      ['Authorization', 'Basic …'],
      ['Authorization', 'Basic KEY'],
    ],
    [
      ['X-Api-Key', '…'],
      ['X-Api-Key', 'KEY'],
    ],
  ] as const)('has the key in place of the masked %j', (masked, sent) => {
    const { headers } = toReplay(recorded([masked, ['Accept', '*/*']]), BASE, 'KEY')

    expect(headers).toEqual([sent, ['Accept', '*/*']])
  })

  test('has the key in the query where it was masked there', () => {
    const { url, headers } = toReplay(
      recorded([], { target: '/books?api_key=…free&limit=2' }),
      BASE,
      'a&b',
    )

    expect(url).toBe(`${BASE}/books?api_key=a%26b&limit=2`)
    expect(headers).toEqual([])
  })

  test('has the key as a bearer token when it had no credential, and none for an empty key', () => {
    expect(toReplay(recorded([]), BASE, 'KEY').headers).toEqual([['Authorization', 'Bearer KEY']])
    expect(toReplay(recorded([['Authorization', 'Bearer …free']]), BASE, '').headers).toEqual([])
  })

  test('leaves out the headers that the sender sets itself', () => {
    const own = ['Host', 'Content-Length', 'cookie', 'Sec-Fetch-Mode', 'User-Agent']
    const request = recorded(own.map((name) => [name, 'x']))

    expect(toReplay(request, BASE, '').headers).toEqual([])
  })

  test('is a command whose words the shell does not interpret', () => {
    const request = recorded([['X-Text', "it's $HOME `id`"]], {
      method: 'POST',
      target: '/books?tags[]=1',
      body: '@/etc/passwd',
    })

    expect(toCurl(toReplay(request, BASE, ''))).toBe(
      [
        `curl -i --globoff -X POST '${BASE}/books?tags[]=1'`,
        "  -H 'X-Text: it'\\''s $HOME `id`'",
        "  --data-raw '@/etc/passwd'",
      ].join(' \\\n'),
    )
  })

  test('is not sent to the control interface, to which its path leads', async () => {
    const request = recorded([], { method: 'POST', target: '/../__sandbox/reset' })

    await expect(sendReplay(toReplay(request, BASE, ''), 'http://127.0.0.1:4010')).rejects.toThrow(
      'Browsers alter the path',
    )
  })
})
