import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { curlCommand } from './curl.ts'
import { type OutgoingRequest, toWebRequest } from './outgoing-request.ts'

const PLAIN: OutgoingRequest = {
  method: 'GET',
  url: 'http://127.0.0.1:4010/books',
  headers: [],
  cookies: [],
}

const HOSTILE = `it's $(id) \`id\` "q" \\ ; & | é !`

/** The words of a command, as a shell splits them. */
async function wordsOf(command: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${command}`])
  return stdout.trimEnd().split('\n')
}

test('a GET request is a curl command with the address in quotes', () => {
  expect(curlCommand(PLAIN)).toBe(`curl -i '${PLAIN.url}'`)
})

test('the shell changes no value of a curl command', async () => {
  const command = curlCommand({
    ...PLAIN,
    method: 'PUT',
    headers: [['X-Note', HOSTILE]],
    user: HOSTILE,
    body: { text: JSON.stringify(HOSTILE), type: 'application/json' },
  })

  expect(await wordsOf(command)).toEqual([
    'curl',
    '-i',
    '-X',
    'PUT',
    '-u',
    HOSTILE,
    '-H',
    `X-Note: ${HOSTILE}`,
    '-H',
    'Content-Type: application/json',
    '--data-raw',
    JSON.stringify(HOSTILE),
    PLAIN.url,
  ])
})

test('a method other than GET is written, and HEAD waits for no body', () => {
  const body = { text: '{}', type: 'application/json' }

  expect(curlCommand({ ...PLAIN, method: 'POST', body })).toContain('curl -i -X POST ')
  expect(curlCommand({ ...PLAIN, body })).toContain('curl -i -X GET ')
  expect(curlCommand({ ...PLAIN, method: 'A`ID' })).toContain("-X 'A`ID' ")
  expect(curlCommand({ ...PLAIN, method: 'HEAD' })).toBe(`curl -i -I '${PLAIN.url}'`)
})

test('the web request has the headers, the cookies and the user of the curl command', () => {
  const { headers } = toWebRequest({
    ...PLAIN,
    headers: [['X-Api-Key', 'k']],
    cookies: [
      ['sid', 'a;b'],
      ['theme', 'dark'],
    ],
    user: 'ada:lovelace',
  })

  expect(headers.get('X-Api-Key')).toBe('k')
  expect(headers.get('Cookie')).toBe('sid=a%3Bb; theme=dark')
  expect(headers.get('Authorization')).toBe(`Basic ${btoa('ada:lovelace')}`)
})
