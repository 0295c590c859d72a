import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { isAltered } from '../requests/curl.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import {
  replayOf,
  requireApiAddress,
  type SentResponse,
  sendAgain,
  sendRequest,
  toCurl,
} from './api-request.ts'

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
    const { headers } = replayOf(recorded([masked, ['Accept', '*/*']]), BASE, 'KEY')

    expect(headers).toEqual([sent, ['Accept', '*/*']])
  })

  test('has the key in the query where it was masked there', () => {
    const { url, headers } = replayOf(
      recorded([], { target: '/books?api_key=…free&limit=2' }),
      BASE,
      'a&b',
    )

    expect(url).toBe(`${BASE}/books?api_key=a%26b&limit=2`)
    expect(headers).toEqual([])
  })

  test('has the key as a bearer token when it had no credential, and none for an empty key', () => {
    expect(replayOf(recorded([]), BASE, 'KEY').headers).toEqual([['Authorization', 'Bearer KEY']])
    expect(replayOf(recorded([['Authorization', 'Bearer …free']]), BASE, '').headers).toEqual([])
  })

  test('leaves out the headers that the sender sets itself', () => {
    const own = ['Host', 'Content-Length', 'cookie', 'Sec-Fetch-Mode', 'User-Agent']
    const request = recorded(own.map((name) => [name, 'x']))

    expect(replayOf(request, BASE, '').headers).toEqual([])
  })

  test('is a command whose words the shell does not interpret', () => {
    const request = recorded([['X-Text', "it's $HOME `id`"]], {
      method: 'POST',
      target: '/books?tags[]=1',
      body: '@/etc/passwd',
    })

    expect(toCurl(replayOf(request, BASE, ''))).toBe(
      [
        `curl -i --globoff -X POST '${BASE}/books?tags[]=1'`,
        "  -H 'X-Text: it'\\''s $HOME `id`'",
        "  --data-raw '@/etc/passwd'",
      ].join(' \\\n'),
    )
  })

  test('is not sent to the control interface, to which its path leads', async () => {
    const request = recorded([], { method: 'POST', target: '/../__sandbox/reset' })

    await expect(sendAgain(replayOf(request, BASE, ''), 'http://127.0.0.1:4010')).rejects.toThrow(
      'Browsers alter the path',
    )
  })
})

const URL_OF_BOOKS = 'http://127.0.0.1:4010/v1/books'
/** Prints the arguments and the input of a command, each in JSON. */
const PRINT = `const input = process.argv.includes('@-') ? require('fs').readFileSync(0, 'utf8') : undefined
console.log(JSON.stringify([process.argv.slice(1), input]))`

/** What the shell gives to `curl`. */
function runInShell(command: string): unknown {
  const script = `curl() { "$NODE" -e "$PRINT" -- "$@"; }\n${command}`
  const env = { NODE: process.execPath, PRINT, PATH: process.env.PATH }
  return JSON.parse(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }))
}

describe('a request as a command', () => {
  test.each(['it\'s $HOME `id` $(id) \\ "x" !!', '@/etc/passwd', '-ofile', 'two\nlines\n'])(
    'has the body and the header %j as words that the shell does not interpret',
    (text) => {
      const value = text.replaceAll('\n', ' ')
      const command = toCurl({
        url: URL_OF_BOOKS,
        method: 'PUT',
        headers: [['X-Text', value]],
        body: text,
      })

      expect(runInShell(command)).toEqual([
        ['-i', '-X', 'PUT', URL_OF_BOOKS, '-H', `X-Text: ${value}`, '--data-raw', text],
        null,
      ])
    },
  )

  test.each(['a\u0003\nid\n', '\u001b[201~\nid\n', "-\r\t\u009b \u0000 100% \\n 'x' !!\n"])(
    'has no character of the body %j that a terminal obeys',
    (body) => {
      const headers = [['X-Text', 'a\t!b']] as const
      const command = toCurl({ url: URL_OF_BOOKS, method: 'POST', headers, body })

      expect(command).not.toMatch(/[^\P{Control}\n]/u)
      expect(command.split('\n')).toHaveLength(3)
      expect(runInShell(command)).toEqual([
        ['-i', '-X', 'POST', URL_OF_BOOKS, '-H', 'X-Text: a\t!b', '--data-binary', '@-'],
        body,
      ])
    },
  )

  test('waits for no body after HEAD, and keeps GET with a body', () => {
    const request = { url: URL_OF_BOOKS, headers: [] }

    expect(toCurl({ ...request, method: 'HEAD' })).toBe(`curl -i -I ${URL_OF_BOOKS}`)
    expect(toCurl({ ...request, method: 'GET', body: 'x' })).toContain('curl -i -X GET ')
  })

  test('keeps a path that clients alter, and a header without a value', () => {
    const url = `${URL_OF_BOOKS}/../x`

    expect(toCurl({ url, method: 'GET', headers: [['X-Empty', '']] })).toBe(
      `curl -i --path-as-is ${url} \\\n  -H 'X-Empty;'`,
    )
  })
})

const SITE = 'http://127.0.0.1:4010/prefix'

describe('a request of the page', () => {
  test.each([
    '/v1/books',
    '/v1/books/a%20b?next=/../__sandbox',
    '/v1/books/%2F..%2F',
    '/v1/{a}|"[b]^`\u00e9\ud800',
    '/v1/__sandbox/reset',
    '/__sandboxes',
    '//__sandbox/reset',
    '',
  ])('may be sent to %j', (path) => {
    expect(() => requireApiAddress(SITE + path, SITE)).not.toThrow()
  })

  test.each([
    '/v1/../__sandbox/reset',
    '/v1/%2e%2E/__sandbox/reset',
    '/v1/.%2e/__sandbox/reset',
    '/v1/\\..\\..\\__sandbox/reset',
    '/v1/.\t./__sandbox/reset',
    '/v1/./books',
    '/__sandbox/reset#/v1',
    '/v1/..',
  ])('is not sent to %j, which browsers alter', (path) => {
    expect(() => requireApiAddress(SITE + path, SITE)).toThrow('Browsers alter the path')
  })

  test.each(['/__sandbox', '/__sandbox/reset', '/__sandbox?x=1'])(
    'is not sent to %j, an address of the control interface',
    (path) => {
      expect(() => requireApiAddress(SITE + path, SITE)).toThrow('control interface')
    },
  )
})

test('a text that is no URL cannot be sent as it is', () => {
  expect(isAltered('http://127.0.0.1:4010*')).toBe(true)
})

describe('the response to a request of the page', () => {
  afterEach(stopServers)

  /** Sends a request to a server that sends `text` again and again, up to `times`. */
  async function read(
    text: string | Uint8Array,
    times: number,
    onPart: (part: SentResponse, abort: () => void) => void = () => undefined,
  ): Promise<SentResponse> {
    const { origin } = await serveHttp(async (_request, response) => {
      for (let time = 0; time < times && !response.closed; time += 1) {
        response.write(text)
        await new Promise((resolve) =>
          setTimeout(resolve, times === Number.POSITIVE_INFINITY ? 20 : 0),
        )
      }
      response.end()
    })
    const client = createClient(origin)
    const page = {
      client: {
        ...client,
        journal: { ...client.journal, last: async () => 0, find: async () => [] },
      },
      site: origin,
    }
    const request = { url: `${origin}/v1/a`, method: 'GET', headers: [] }
    const controller = new AbortController()

    return sendRequest(page, request, controller.signal, (part) =>
      onPart(part, () => controller.abort()),
    )
  }

  test('is whole when it is short, and has no text when it is none', async () => {
    expect(await read('é', 2)).toMatchObject({
      status: 200,
      body: 'éé',
      bytes: 4,
      isPartial: false,
    })
    const bytes = await read(Uint8Array.of(0xff, 0xfe), 1)
    expect(bytes).toMatchObject({ bytes: 2, isPartial: false })
    expect(bytes.body).toBeUndefined()
  })

  test('is its beginning when it is long', async () => {
    const { bytes, body, isPartial } = await read('x'.repeat(1_000_000), 50)

    expect(isPartial).toBe(true)
    expect(bytes).toBeLessThan(3_000_000)
    expect(body).toHaveLength(bytes)
  })

  test('is shown while it comes, and is what came when nobody waits for more', async () => {
    const parts: number[] = []

    const { bytes, isPartial } = await read(
      'data: 1\n\n',
      Number.POSITIVE_INFINITY,
      (part, abort) => {
        parts.push(part.bytes)
        if (parts.length === 2) abort()
      },
    )

    expect(isPartial).toBe(true)
    expect(parts[0]).toBeGreaterThan(0)
    expect(bytes).toBeGreaterThanOrEqual(parts[1] ?? 0)
  })
})
