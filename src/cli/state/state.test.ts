import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSandbox } from '../../index.ts'
import {
  runCommand,
  type StartedCommand,
  startCommand,
  stopCommands,
} from '../../testing/command.ts'

const HEADERS = {
  Authorization: 'Bearer sk_sandbox_free',
  'Content-Type': 'application/json',
}

let folder = ''
let file = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  file = join(folder, 'state.json')
})

afterEach(async () => {
  await stopCommands()
  await rm(folder, { recursive: true, force: true })
})

function start(...args: readonly string[]): Promise<StartedCommand> {
  return startCommand(['--state', file, ...args])
}

function post({ base }: StartedCommand, name: string): Promise<Response> {
  const body = JSON.stringify({ name, categoryId: 1 })
  return fetch(`${base}/pets`, { method: 'POST', headers: HEADERS, body })
}

function get({ base }: StartedCommand, path: string): Promise<Response> {
  return fetch(base + path, { headers: HEADERS })
}

/** The parsed content of the state file. */
async function savedState() {
  return JSON.parse(await readFile(file, 'utf8'))
}

async function savedNames(): Promise<string[]> {
  const { state } = await savedState()
  return state.records.pets.rows.map(({ name }: { name: string }) => name)
}

describe('a state file', () => {
  test('is created at the start, in the format of a snapshot', async () => {
    const sandbox = await start()

    expect(sandbox.output()).toContain(`\nThe state is saved to ${file}.\n`)
    const { version, contract, state } = await savedState()
    const snapshot = await createSandbox().snapshot()
    expect({ version, contract, records: state.records }).toEqual({
      version: snapshot.version,
      contract: snapshot.contract,
      records: snapshot.state.records,
    })
  })

  test('can be any snapshot of the contract', async () => {
    const source = createSandbox({ records: 3 })
    source.clock.set('2029-01-01T00:00:00Z')
    await source.collection('pets').create({ name: 'Rex', categoryId: 2, status: 'sold' })
    await source.world('other').collection('pets').remove(1)
    await writeFile(file, JSON.stringify(await source.snapshot()))

    const sandbox = await start()

    expect(sandbox.output()).toContain(`\nRestored 6 records from ${file}\n`)
    const response = await get(sandbox, '/pets/4')
    expect(await response.json()).toMatchObject({ name: 'Rex', status: 'sold' })
    expect(response.headers.get('Date')).toBe('Mon, 01 Jan 2029 00:00:00 GMT')
    const other = { base: sandbox.base.replace('/v1', '/worlds/other/v1') }
    expect((await get({ ...sandbox, ...other }, '/pets/1')).status).toBe(404)
  })

  test('contains a record when its creation is acknowledged', async () => {
    const sandbox = await start('--records', '0')

    await post(sandbox, 'Rex')

    expect(await savedNames()).toEqual(['Rex'])
  })

  test('contains a change by the control interface when it is acknowledged', async () => {
    const { base } = await start('--records', '1')

    await fetch(`${new URL(base).origin}/__sandbox/records/pets/1`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Renamed"}',
    })

    expect(await savedNames()).toEqual(['Renamed'])
  })

  test('survives a kill of the server', async () => {
    const killed = await start()
    const created = await (await post(killed, 'Rex')).json()
    await killed.stop('SIGKILL')

    const sandbox = await start()

    expect(await (await get(sandbox, `/pets/${created.id}`)).json()).toEqual(created)
    expect(await (await post(sandbox, 'Next')).json()).toMatchObject({ id: created.id + 1 })
  })

  test('contains quota counts after a short delay', async () => {
    const sandbox = await start()

    await get(sandbox, '/pets')

    await vi.waitFor(async () => expect((await savedState()).state.limits).toHaveLength(1), 20_000)
  })

  test('is complete when the server has stopped, without other files beside it', async () => {
    const sandbox = await start()
    for (let count = 0; count < 7; count += 1) await get(sandbox, '/pets')

    const { code, stderr } = await sandbox.stop()

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [[account, { minute }]] = (await savedState()).state.limits
    expect([account, minute.used]).toEqual(['sk_sandbox_free', 7])
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  test('takes precedence over records, seed and scenario, and the startup message says so', async () => {
    await (await start('--records', '2')).stop()

    const sandbox = await start('--records', '9', '--scenario', 'quota-nearly-spent')

    expect(sandbox.output()).toContain(
      `\nRestored 2 records from ${file} (ignored: records, scenario)\n`,
    )
    expect(await (await get(sandbox, '/pets')).json()).toHaveLength(2)
  })

  test('contains the plans, keys and outcomes of the options once, even after several starts', async () => {
    const options = ['--plan', 'gold=7/70', '--key', 'mine=gold', '--force', 'slow:createPet']
    await (await start()).stop()
    await (await start(...options)).stop()
    await (await start(...options)).stop()

    const { keys, rules } = (await savedState()).state

    expect(keys.plans).toContainEqual({ name: 'gold', minute: 7, day: 70 })
    expect(keys.keys).toContainEqual(['mine', { plan: 'gold' }])
    expect(JSON.stringify(rules).match(/"outcome":"slow"/g)).toHaveLength(1)
  })

  test('has a JSON line of its own with --log json', async () => {
    const sandbox = await start('--log', 'json')

    const [line = ''] = sandbox.output().split('\n')

    expect(JSON.parse(line)).toEqual({ state: file, records: null })
  })

  test('can be set by the environment, or relative to the configuration file', async () => {
    await writeFile(join(folder, 'config.yaml'), 'state: state.json')

    const started = await startCommand(['--config', join(folder, 'config.yaml')])
    await started.stop()
    const env = { PET_SANDBOX_STATE: file }
    const sandbox = await startCommand([], { env })

    expect(sandbox.output()).toContain(`Restored 50 records from ${file}`)
  })
})

describe('the state file', () => {
  test('can be a symbolic link, even to a file that does not exist yet', async () => {
    await mkdir(join(folder, 'disk'))
    await symlink('disk/target.json', file)
    const sandbox = await start('--records', '0')

    await post(sandbox, 'Rex')

    expect((await lstat(file)).isSymbolicLink()).toBe(true)
    expect((await lstat(join(folder, 'disk/target.json'))).isFile()).toBe(true)
    expect(await savedNames()).toEqual(['Rex'])
  })

  test('keeps its permissions', async () => {
    await (await start()).stop()
    await chmod(file, 0o640)
    const sandbox = await start()

    await post(sandbox, 'Rex')

    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  test('is readable by its owner only when it is created', async () => {
    await start()

    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('starts without the temporary files of killed servers, and other files remain', async () => {
    const neighbours = ['other.json.7.tmp', 'state.json.bak', 'state.json.tmp']
    const leftover = 'state.json.99999.tmp'
    for (const name of [...neighbours, leftover]) await writeFile(join(folder, name), '{')

    await (await start()).stop()

    expect((await readdir(folder)).sort()).toEqual([...neighbours, 'state.json'].sort())
  })
})

describe('the server does not start with an invalid state file, prints one line and keeps the file:', () => {
  test.each([
    ['an empty file', '', 'the file is empty'],
    ['a file of white space', ' \n', 'the file is empty'],
    [
      'an incomplete file',
      '{"version":1,"contract":{"ti',
      'the file is damaged: it is not valid JSON',
    ],
    ['a file of another format', '[1, 2]', 'it is not a snapshot of a sandbox'],
    [
      'a state of another version',
      () => edited((snapshot) => Object.assign(snapshot, { version: 7 })),
      'its version is 7, but this release reads version 1',
    ],
    [
      'a state of another contract',
      () => edited(({ contract }) => Object.assign(contract, { title: 'Books' })),
      'it belongs to Books 1.0.0, but the contract is Pet Adoption Store 1.0.0',
    ],
    [
      'a state with a record that violates the contract',
      () => edited(({ state }) => Object.assign(state.records.pets?.rows[0] ?? {}, { status: 1 })),
      'a record.status must be ',
    ],
  ])('%s', async (_what, content, why) => {
    const text = typeof content === 'string' ? content : await content()
    await writeFile(file, text)

    const { code, stdout, stderr } = await runCommand(['--state', file, '--port', '0'])

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`pet-sandbox: Cannot restore the state from ${file}: `)
    expect(stderr).toContain(why)
    expect(stderr).toMatch(/^.*\. Move the file away to start with a new state\.\n$/)
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  test('a state with more worlds than the limit', async () => {
    const source = createSandbox()
    for (const name of ['one', 'two', 'three']) source.world(name)
    const text = JSON.stringify(await source.snapshot())
    await writeFile(file, text)

    const { code, stderr } = await runCommand(['--state', file, '--worlds', '2', '--port', '0'])

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pet-sandbox: Cannot restore the state from ${file}: it has 3 worlds, but the sandbox keeps at most 2. Increase --worlds.\n`,
    })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  test('a folder', async () => {
    const ended = await runCommand(['--state', folder, '--port', '0'])

    const why = `Cannot restore the state from ${folder}: it is a folder. Move the file away to start with a new state.`
    expect(ended).toEqual({ code: 2, stdout: '', stderr: `pet-sandbox: ${why}\n` })
  })
})

test.each([
  ['nothing/state.json', 'its folder does not exist'],
  ['file/state.json', 'a part of the path is a file'],
])('the server does not start when it cannot write %s', async (place, why) => {
  await writeFile(join(folder, 'file'), '')

  const ended = await runCommand(['--state', join(folder, place), '--port', '0'])

  expect(ended.code).toBe(2)
  expect(ended.stderr).toBe(
    `pet-sandbox: Cannot save the state to ${join(folder, place)}: ${why}. Correct this, or name another file.\n`,
  )
})

describe('a state file in use by a server', () => {
  test('cannot be used by a second server, and the first one continues', async () => {
    const sandbox = await start()
    await symlink(file, join(folder, 'link.json'))

    const ended = await runCommand(['--state', join(folder, 'link.json'), '--port', '0'])

    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/Cannot save the state to \S+: the process \d+ uses this file/)
    expect((await post(sandbox, 'Rex')).status).toBe(201)
  })

  test('is used by one of several servers that start at the same time, even with the lock of a killed server', async () => {
    await (await start()).stop()
    await writeFile(`${file}.lock`, '999999999 1')

    const started = await Promise.allSettled(Array.from({ length: 5 }, () => start()))

    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test.each([
    ['of a process that has ended', () => '999999999 1'],
    ['of an ended process whose id is used again', () => `${process.pid} 1`],
    ['empty', () => ''],
  ])('is free when its lock is %s', async (_what, content) => {
    await writeFile(`${file}.lock`, content())

    const sandbox = await start()

    expect((await post(sandbox, 'Rex')).status).toBe(201)
  })

  test('is free when its lock is of a zombie process', async () => {
    // The shell becomes a program that never learns of the end of the other one, which ends with its input.
    const script = 'cat <&3 & echo $!; exec sleep 99'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
    const [pid] = await once(parent.stdout ?? parent, 'data')
    const number = Number(String(pid))
    const stat = async (process: unknown): Promise<readonly string[]> =>
      (await readFile(`/proc/${process}/stat`, 'utf8')).split(' ')
    await expect.poll(async () => (await stat(parent.pid))[1]).toBe('(sleep)')
    await writeFile(`${file}.lock`, `${number} ${(await stat(number))[21]}`)
    parent.stdio[3]?.destroy()
    await expect.poll(async () => (await stat(number))[2]).toBe('Z')

    const sandbox = await start()

    expect((await post(sandbox, 'Rex')).status).toBe(201)
    parent.kill()
  })
})

describe('while the state file cannot be written,', () => {
  test('creations end with 500, and one line reports the failure and one the recovery', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    file = join(disk, 'state.json')
    const sandbox = await start('--records', '0')

    await rename(disk, `${disk}-away`)
    const refused = [await post(sandbox, 'One'), await post(sandbox, 'Two')]
    const read = await get(sandbox, '/pets')
    await rename(`${disk}-away`, disk)
    const taken = await post(sandbox, 'Three')
    const listed = await get(sandbox, '/pets')
    const { stderr } = await sandbox.stop()

    expect(refused.map(({ status }) => status)).toEqual([500, 500])
    expect(await refused[0]?.json()).toEqual({
      code: 'internal_error',
      message: expect.stringMatching(
        /^The changes of the request could not be saved and were undone\. .*its folder does not exist/,
      ),
      status: 500,
    })
    expect([read.status, taken.status]).toEqual([200, 201])
    expect(await read.json()).toEqual([])
    expect(await listed.json()).toMatchObject([{ name: 'Three' }])
    expect(await savedNames()).toEqual(['Three'])
    expect(stderr).toBe(
      `pet-sandbox: Cannot save the state to ${file}: its folder does not exist. Correct this, or name another file.\n` +
        `pet-sandbox: The state is saved to ${file} again.\n`,
    )
  })

  test('the log has the responses that were sent', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    file = join(disk, 'state.json')
    const sandbox = await start('--records', '0')
    await rename(disk, `${disk}-away`)

    await post(sandbox, 'Rex')
    await rename(`${disk}-away`, disk)
    const { stdout } = await sandbox.stop()

    expect(stdout).toMatch(
      /POST {4}500 {2}\/v1\/pets .*The changes of the request could not be saved/,
    )
  })

  test('the server retries, and saves the state without a further request', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    file = join(disk, 'state.json')
    const sandbox = await start('--records', '0')
    await rename(disk, `${disk}-away`)
    await post(sandbox, 'Rex')

    await rename(`${disk}-away`, disk)

    await vi.waitFor(async () => expect((await savedState()).state.limits).not.toEqual([]), 20_000)
    expect(await savedNames()).toEqual([])
  })

  test('a stop ends with 1 and one line', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    file = join(disk, 'state.json')
    const sandbox = await start('--records', '0')
    await rename(disk, `${disk}-away`)
    await get(sandbox, '/pets')

    const { code, stderr } = await sandbox.stop()

    expect(code).toBe(1)
    expect(stderr).toContain('its folder does not exist')
  })
})

/** The JSON text of an edited snapshot. */
async function edited(
  edit: (snapshot: Awaited<ReturnType<ReturnType<typeof createSandbox>['snapshot']>>) => unknown,
): Promise<string> {
  const snapshot = await createSandbox().snapshot()
  edit(snapshot)
  return JSON.stringify(snapshot)
}
