import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { prettyLine } from '../cli/log.ts'
import { startLine, welcome } from '../cli/welcome.ts'
import { createSandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import { type CommandResult, runCommand, stopCommands } from '../testing/command.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'

/** Sets the window's title, colours, and clears the screen, each in two spellings. */
const ESCAPES = '\u001b]0;evil\u0007\u001b[31m\u001b[2J\u009d0;evil\u009c\u009b2J'

/** In YAML and JSON alike. */
const WRITTEN = JSON.stringify(ESCAPES).slice(1, -1)

let folder = ''
let file = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  file = join(folder, 'books.yaml')
})

afterEach(async () => {
  await stopCommands()
  await stopServers()
  await rm(folder, { recursive: true })
})

function write(schema: string, path = `/books${WRITTEN}`): Promise<void> {
  return writeFile(
    file,
    `openapi: 3.1.1
info: { title: "Books${WRITTEN}", version: "1${WRITTEN}" }
paths:
  "${path}":
    get:
      operationId: "list${WRITTEN}"
      responses:
        '200':
          description: Books.
          content: { application/json: { schema: { type: array, items: ${schema} } } }
`,
  )
}

function expectTame(text: string): void {
  expect(text).not.toBe('')
  // Lines may end.
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
}

describe('no document steers the terminal', () => {
  test.each([
    ['a type', `{ type: "${WRITTEN}" }`],
    ['a pattern', `{ type: string, pattern: "(${WRITTEN}" }`],
    ['a $ref', `{ $ref: "${WRITTEN}.yaml" }`],
    ['a $ref that leads nowhere', `{ $ref: "#/${WRITTEN}" }`],
    ['a key', `{ type: object, "${WRITTEN}": 1, properties: 7 }`],
  ])('by a mistake in %s', async (_what, schema) => {
    await write(schema, '/books')

    const { code, stderr } = await runCommand([file])

    expect(code).toBe(2)
    expectTame(stderr)
  })

  test('when it is explained', async () => {
    await write('{ type: object, properties: { id: { type: integer } } }')

    const { code, stdout } = await runCommand(['explain', file])

    expect(code).toBe(0)
    expectTame(stdout)
  })

  test.each(['in words', 'as JSON'])('when the start is told %s', async (how) => {
    await write('{ type: object, properties: { id: { type: integer } } }')
    const plans = { [`free${ESCAPES}`]: { minute: 1, day: 1 } }
    const sandbox = createSandbox({
      contract: await loadContract(file),
      plans,
      keys: { mine: `free${ESCAPES}` },
    })
    const start = { origin: 'http://127.0.0.1:4010' }

    expectTame(
      how === 'as JSON'
        ? startLine(sandbox, start)
        : welcome(sandbox, start, (_style, text) => text),
    )
  })
})

describe('no client steers the terminal', () => {
  test('by its method, its plan or its address', () => {
    const line = prettyLine(
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

    expectTame(line)
  })
})

describe('no server steers the terminal of who steers it', () => {
  /** A server that says to everything what fits every verb, with escapes in each text. */
  async function ctl(...words: string[]): Promise<CommandResult> {
    const { origin } = await serveHttp((request, response) => {
      const isRefused = request.url?.includes('plans')
      response.writeHead(isRefused ? 400 : 200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(isRefused ? ERROR : answerTo(request.url ?? '')))
    })
    return runCommand(['ctl', '--url', origin, ...words])
  }

  const ERROR = { code: 'invalid', message: `Cannot do it: ${ESCAPES}.`, status: 400 }

  function answerTo(url: string): unknown {
    if (url.includes('scenarios')) return [{ name: 'x', description: ESCAPES, rehearses: ESCAPES }]
    if (url.includes('records')) return [{ [`id${ESCAPES}`]: ESCAPES }]
    if (url.includes('keys')) return [{ key: ESCAPES, plan: { name: ESCAPES } }]
    const names = { title: ESCAPES, version: ESCAPES, basePath: ESCAPES, world: ESCAPES }
    return { status: 'ready', ...names }
  }

  test.each(['health', 'health --json', 'scenarios', 'play x', 'records pets', 'keys', 'plans'])(
    'by ctl %s',
    async (words) => {
      const { stdout, stderr } = await ctl(...words.split(' '))

      expectTame(stdout + stderr)
    },
  )
})
