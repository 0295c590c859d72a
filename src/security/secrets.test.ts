import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { StateFile } from '../cli/state/state-file.ts'
import { runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const directory = useTemporaryDirectory()

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

const SECRETS = {
  Authorization: 'Bearer real_key_of_production',
  Cookie: 'theme=dark; session=of-another-app-of-localhost',
  'X-API-Key': 'key-of-another-service',
}

describe('credentials that a client sends', () => {
  test('are in the journal and in archives only with their last four characters', async () => {
    const { origin } = await serveSandbox()
    await fetch(`${origin}/v1/pets`, { headers: SECRETS })

    const journal = await (await fetch(`${origin}/__sandbox/journal`)).text()
    const archive = await (await fetch(`${origin}/__sandbox/journal/har`)).text()

    for (const text of [journal, archive]) {
      expect(text).toContain('tion')
      expect(text).not.toMatch(/real_key|session|another/)
    }
  })

  test.each(['pretty', 'json'])('are not in the %s log', async (log) => {
    const sandbox = await startCommand(['--log', log])
    await fetch(`${sandbox.base}/pets`, { headers: SECRETS })

    const output = await sandbox.waitForOutput(/401 {2}\/v1\/pets|"target":"\/pets"/)

    expect(output).not.toMatch(/real_key|session|another/)
  })
})

describe('the token of the control interface', () => {
  test('is printed once when it is generated, and never appears again', async () => {
    const sandbox = await startCommand(['--host', '0.0.0.0', '--log', 'json'])
    const { controlToken } = JSON.parse(sandbox.output().split('\n')[0] ?? '')
    const headers = { Authorization: `Bearer ${controlToken}` }
    const urlOf = (path: string): URL => new URL(path, sandbox.base)

    for (const path of ['/__sandbox/clock', '/__sandbox/nowhere', '/v1/pets', '/nowhere']) {
      await fetch(urlOf(path), { headers })
    }
    const journal = await (await fetch(urlOf('/__sandbox/journal'), { headers })).text()
    const snapshot = await (await fetch(urlOf('/__sandbox/snapshot'), { headers })).text()
    const output = await sandbox.waitForOutput(/"target":"\/pets"/)

    expect(controlToken).toMatch(/^[\w-]{24}$/)
    expect(output.split(controlToken)).toHaveLength(2)
    expect(journal + snapshot).not.toContain(controlToken)
  })

  test('is generated anew at each start', async () => {
    const starts = [1, 2].map(() => startCommand(['--host', '0.0.0.0', '--log', 'json']))
    const outputs = (await Promise.all(starts)).map(({ output }) => output().split('\n')[0] ?? '')
    const [first, second] = outputs.map((line) => JSON.parse(line).controlToken)

    expect(first).not.toBe(second)
  })
})

describe('a state file', () => {
  test('is not written through a symbolic link of another user', async () => {
    const state = join(directory(), 'state.json')
    const victim = join(directory(), 'victim')
    await writeFile(victim, 'mine')
    const file = await StateFile.at(state)
    await symlink(victim, `${state}.${process.pid}.tmp`)

    await expect(file.write('{}')).rejects.toThrow('Cannot save the state')
    await file.write('{}')

    expect(await readFile(victim, 'utf8')).toBe('mine')
    expect(await readFile(state, 'utf8')).toBe('{}')
  })
})

describe('a file that ctl writes', () => {
  test.each(['snapshot', 'har'])('%s is readable by its owner only', async (verb) => {
    const { origin } = await serveSandbox()
    const file = join(directory(), 'written.json')

    await runCommand(['ctl', '--url', origin, verb, file])

    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(expect.any(Object))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })
})
