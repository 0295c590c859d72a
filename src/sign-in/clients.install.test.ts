import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startCommand, stopCommands } from '../testing/command.ts'

const run = promisify(execFile)

/** The lines that run on Node.js 20. */
const PACKAGES = [
  'openid-client@6',
  'oauth4webapi@3',
  '@auth/core@0.41',
  'passport-oauth2@1',
  'simple-oauth2@5',
  'google-auth-library@9',
]

/** A project with the clients, and with what each does in its test. */
let project = ''

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, ...PACKAGES], { cwd: project })
  await cp('src/testing/sign-in-clients', project, { recursive: true })
  await cp('src/testing/guide/examples/auth.js', join(project, 'auth.js'))
})

afterEach(stopCommands)
afterAll(() => rm(project, { recursive: true }))

/** What the calls of a client got, with a server of its own. */
async function callsOf(
  client: string,
  options: readonly string[] = [],
): Promise<readonly unknown[]> {
  const { base } = await startCommand(['src/testing/notes-sign-in.yaml', ...options])
  const root = new URL(base).origin
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, SANDBOX: root, NOTES_ISSUER: root }
  const { stdout } = await run(process.execPath, [`${client}.mjs`], { cwd: project, env })
  return JSON.parse(stdout)
}

describe('signs in, is served as its user, sees its token end, refreshes it and signs out:', () => {
  test.each([
    'openid-client',
    'oauth4webapi',
    'simple-oauth2',
    'passport-oauth2',
    'google-auth-library',
    'auth-js',
  ])('%s', async (client) => {
    const calls = await callsOf(client)

    expect(calls.slice(0, 4)).toEqual(['200 user 2', '401', '200 user 2', '401'])
  })

  test('the same with JWTs, registered clients and nothing but issued tokens', async () => {
    const web = 'web:s3cret:http://localhost:3000/callback'
    const options = ['--tokens', 'jwt', '--auth', 'issued', '--oauth-client', web]

    const calls = await callsOf('oauth4webapi', options)

    expect(calls).toEqual(['200 user 2', '401', '200 user 2', '401'])
  })
})

test('openid-client gets userinfo, introspection and the address after the logout', async () => {
  const calls = await callsOf('openid-client')

  expect(calls[4]).toEqual({ sub: '2', active: true, left: 'http://localhost:3000/bye' })
})

test('Auth.js has the session of the user until the user signs out', async () => {
  const calls = await callsOf('auth-js')

  expect(calls[4]).toEqual({ user: 'Omar Baker', left: null })
})
