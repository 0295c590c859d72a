import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exchangeLine } from '../cli/request-log.ts'
import { startupJson, startupMessage } from '../cli/startup-message.ts'
import { createSandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import { type CommandResult, runCommand, stopCommands } from '../testing/command.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

/** Escape sequences that set the window title, set colours and clear the screen, each in two encodings. */
const ESCAPES = '\u001b]0;evil\u0007\u001b[31m\u001b[2J\u009d0;evil\u009c\u009b2J'

/** The escape sequences as they are written in YAML and JSON. */
const ESCAPED = JSON.stringify(ESCAPES).slice(1, -1)

const directory = useTemporaryDirectory()
let file = ''

beforeEach(() => {
  file = join(directory(), 'books.yaml')
})

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

function write(schema: string, path = `/books${ESCAPED}`): Promise<void> {
  return writeFile(
    file,
    `openapi: 3.1.1
info: { title: "Books${ESCAPED}", version: "1${ESCAPED}" }
paths:
  "${path}":
    get:
      operationId: "list${ESCAPED}"
      responses:
        '200':
          description: Books.
          content: { application/json: { schema: { type: array, items: ${schema} } } }
`,
  )
}

function expectNoControlCharacters(text: string): void {
  expect(text).not.toBe('')
  // Line feeds are allowed.
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
}

describe('a document cannot write control characters to the terminal', () => {
  test.each([
    ['a type', `{ type: "${ESCAPED}" }`],
    ['a pattern', `{ type: string, pattern: "(${ESCAPED}" }`],
    ['a $ref', `{ $ref: "${ESCAPED}.yaml" }`],
    ['an unresolved $ref', `{ $ref: "#/${ESCAPED}" }`],
    ['a key', `{ type: object, "${ESCAPED}": 1, properties: 7 }`],
  ])('with an error in %s', async (_what, schema) => {
    await write(schema, '/books')

    const { code, stderr } = await runCommand([file, '--strict'])

    expect(code).toBe(2)
    expectNoControlCharacters(stderr)
  })

  test('in the output of explain', async () => {
    await write('{ type: object, properties: { id: { type: integer } } }')

    const { code, stdout } = await runCommand(['explain', file])

    expect(code).toBe(0)
    expectNoControlCharacters(stdout)
  })

  test.each(['as text', 'as JSON'])('in the start message %s', async (how) => {
    await write('{ type: object, properties: { id: { type: integer } } }')
    const plans = { [`free${ESCAPES}`]: { minute: 1, day: 1 } }
    const sandbox = createSandbox({
      contract: await loadContract(file),
      plans,
      keys: { mine: `free${ESCAPES}` },
    })
    const start = { origin: 'http://127.0.0.1:4010' }

    expectNoControlCharacters(
      how === 'as JSON'
        ? startupJson(sandbox, start)
        : startupMessage(sandbox, start, (_style, text) => text),
    )
  })
})

describe('a client cannot write control characters to the terminal', () => {
  test('with its method, plan or URL', () => {
    const line = exchangeLine(
      {
        id: 1,
        time: 0,
        method: `GET${ESCAPES}`,
        target: `/pets${ESCAPES}`,
        caller: 'valid',
        plan: `free${ESCAPES}`,
        status: 404,
        refusal: { code: 'not_found', message: ESCAPES },
        quota: { before: { minute: 1, day: 1 }, after: { minute: 0, day: 0 } },
        notes: [{ kind: 'unknown-parameter', place: ESCAPES }],
        milliseconds: 1,
      },
      '/v1',
      (_style, text) => text,
    )

    expectNoControlCharacters(line)
  })
})

describe('a server cannot write control characters to the terminal of ctl', () => {
  /** Runs ctl against a server whose responses have escape sequences in every string. */
  async function ctl(...args: string[]): Promise<CommandResult> {
    const { origin } = await serveHttp((request, response) => {
      const isRefused = request.url?.includes('plans')
      response.writeHead(isRefused ? 400 : 200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(isRefused ? ERROR : bodyFor(request.url ?? '')))
    })
    return runCommand(['ctl', '--url', origin, ...args])
  }

  const ERROR = { code: 'invalid', message: `Cannot do it: ${ESCAPES}.`, status: 400 }

  function bodyFor(url: string): unknown {
    if (url.includes('scenarios')) return [{ name: 'x', description: ESCAPES, rehearses: ESCAPES }]
    if (url.includes('records')) return [{ [`id${ESCAPES}`]: ESCAPES }]
    if (url.includes('keys')) return [{ key: ESCAPES, plan: { name: ESCAPES } }]
    const names = { title: ESCAPES, version: ESCAPES, basePath: ESCAPES, world: ESCAPES }
    return { status: 'ready', ...names }
  }

  test.each(['health', 'health --json', 'scenarios', 'play x', 'records pets', 'keys', 'plans'])(
    'with its response to ctl %s',
    async (command) => {
      const { stdout, stderr } = await ctl(...command.split(' '))

      expectNoControlCharacters(stdout + stderr)
    },
  )
})
