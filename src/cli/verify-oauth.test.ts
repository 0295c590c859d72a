import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { type CommandResult, runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const CLIENT = {
  PET_SANDBOX_OAUTH_CLIENT_ID: 'nightly',
  PET_SANDBOX_OAUTH_CLIENT_SECRET: 'secret of nightly',
}
const NOTES = 'src/testing/notes-sign-in.yaml'
const FLOW = ['--oauth', 'client-credentials']
const folder = useTemporaryDirectory()

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

function verify(
  base: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = CLIENT,
): Promise<CommandResult> {
  return runCommand(['verify', base, ...args], { env })
}

/** A service with a token endpoint, whose tokens end at once. */
async function serveWithTokens(): Promise<{
  readonly origin: string
  readonly file: string
  readonly asked: string[]
  readonly used: string[]
}> {
  const asked: string[] = []
  const used: string[] = []
  const { origin } = await serveHttp(async (request, response) => {
    const { authorization = '' } = request.headers
    const isToken = request.url === '/token'
    if (isToken) asked.push(`${authorization} ${await text(request)}`)
    else used.push(authorization)
    const isKnown = isToken || /^Bearer token of run \d+$/.test(authorization)
    response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' })
    const token = { access_token: `token of run ${asked.length}`, expires_in: 1 }
    response.end(JSON.stringify(isToken ? token : []))
  })
  const file = join(folder(), 'books.json')
  const json = { 'application/json': { schema: { type: 'array' } } }
  const flows = { clientCredentials: { tokenUrl: '/token', scopes: { read: 'Read.' } } }
  const document = {
    openapi: '3.1.0',
    info: { title: 'Books', version: '1' },
    security: [{ oauth: ['read'] }],
    paths: { '/books': { get: { responses: { 200: { description: 'OK', content: json } } } } },
    components: { securitySchemes: { oauth: { type: 'oauth2', flows } } },
  }
  await writeFile(file, JSON.stringify(document))

  return { origin, file, asked, used }
}

describe('verify --oauth client-credentials', () => {
  test('is served by a sandbox with the token that it issued', async () => {
    const { base } = await startCommand([NOTES])
    const tokenUrl = `${new URL(base).origin}/oauth2/token`

    const { stdout, stderr } = await verify(base, [NOTES, ...FLOW, '--token-url', tokenUrl])

    expect(stderr).not.toContain('pet-sandbox:')
    expect(stdout).toMatch(/Exercised [1-9]/)
    expect(stdout).not.toContain('accepts a request with a valid key')
  })

  test('is shown by --dry-run, which asks for no token', async () => {
    const { origin, file, asked } = await serveWithTokens()

    const { stdout } = await verify(origin, [file, ...FLOW, '--dry-run'])

    expect(stdout).toContain(`Gets a token first: POST ${origin}`)
    expect(asked).toEqual([])
  })

  test('gets another token before the one that it has ends, and sends it', async () => {
    const { origin, file, asked, used } = await serveWithTokens()

    await verify(origin, [file, ...FLOW])

    const basic = Buffer.from('nightly:secret%20of%20nightly').toString('base64')
    expect(asked[0]).toBe(`Basic ${basic} grant_type=client_credentials&scope=read`)
    expect(asked.length).toBeGreaterThan(1)
    expect(used).toContain('Bearer token of run 2')
    expect(used).not.toContain('Bearer token of run 1')
  })

  test.each([
    [['--oauth', 'implicit'], CLIENT, 'it must be client-credentials'],
    [FLOW, {}, 'PET_SANDBOX_OAUTH_CLIENT_ID and PET_SANDBOX_OAUTH_CLIENT_SECRET are not set'],
    [
      [...FLOW, '--token-url', 'http://127.0.0.1:1/token'],
      CLIENT,
      'http://127.0.0.1:1/token does not answer',
    ],
  ])('with %j is a mistake that is told before the run', async (args, env, reason) => {
    const { code, stderr } = await verify('http://127.0.0.1:1', [NOTES, ...args], env)

    expect(stderr).toContain(`pet-sandbox: Cannot use the option --oauth: ${reason}.`)
    expect(code).toBe(2)
  })
})
