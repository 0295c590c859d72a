import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runCommand } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const BIN = 'bin/pet-sandbox.js'
const LIBRARY = 'src/testing/library.yaml'
const SCHEMAS = 'src/testing/library-schemas.yaml'

const folder = useTemporaryDirectory()
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Serves the library to requests with the header `X-Key: secret`, and returns its address. */
async function servePrivately(): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.headers['x-key'] !== 'secret') response.writeHead(403).end()
    else response.end(await readFile(request.url === '/library.yaml' ? LIBRARY : SCHEMAS))
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()

  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/library.yaml`
}

describe('a document by its URL', () => {
  test('gets the headers of the option, the environment and the configuration file', async () => {
    const url = await servePrivately()
    await writeFile(
      join(folder(), 'settings.yaml'),
      `openapi: ${url}\nheaders: { X-Key: wrong }\nscenario: missing\n`,
    )
    const config = ['--config', join(folder(), 'settings.yaml')]

    const option = await runCommand(['explain', url, '-H', 'X-Key: secret'])
    const environment = await runCommand(['serve', url, '--scenario', 'missing'], {
      env: { PET_SANDBOX_HEADERS: 'Accept: */*\nX-Key: secret' },
    })
    const file = await runCommand(['serve', ...config])
    const flagOverFile = await runCommand(['serve', ...config, '--header', 'x-key:secret'])

    expect(option.code).toBe(0)
    expect(option.stdout).toContain('GET /')
    expect(environment.stderr).toContain('scenario')
    expect(file.stderr).toContain('the server answers with status 403. Check the credentials.')
    expect(flagOverFile.stderr).toContain('scenario')
  })

  test('refuses a header that is none, without printing it', async () => {
    const { code, stderr } = await runCommand(['explain', 'http://127.0.0.1:9/', '-H', 'secret'])

    expect(code).toBe(2)
    expect(stderr).toBe(
      `pet-sandbox: Cannot use --header: it must be a valid HTTP header. Write it as 'Authorization: Bearer …'.\n`,
    )
  })
})

describe('a document from standard input', () => {
  /** Runs `explain -` with a text as standard input. */
  function explain(text: string): ReturnType<typeof runCommand> {
    const command = `printf '%s' "$TEXT" | "$NODE" ${BIN} explain -`

    return runCommand([], {
      program: ['sh', '-c', command],
      env: { TEXT: text, NODE: process.execPath },
    })
  }

  test('is read to its end, and refers to files in the working directory', async () => {
    const text = (await readFile(LIBRARY, 'utf8')).replaceAll(
      'library-schemas.yaml',
      'src/testing/library-schemas.yaml',
    )

    const { code, stdout, stderr } = await explain(text)

    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('GET /')
  })

  test('is located by line and column', async () => {
    const { stderr } = await explain('openapi: 3.1.1\ninfo: [\n')

    expect(stderr).toContain('(<stdin>:2:7)')
  })

  test('must not be empty', async () => {
    const { code, stderr } = await explain('')

    expect(code).toBe(2)
    expect(stderr).toBe(
      'pet-sandbox: Cannot load -: standard input is empty. Send a document to it, for example by "cat api.yaml | pet-sandbox -".\n',
    )
  })
})
