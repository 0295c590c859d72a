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

/** What is in the file, but for the clock's. */
async function kept() {
  return JSON.parse(await readFile(file, 'utf8'))
}

async function keptNames(): Promise<string[]> {
  const { state } = await kept()
  return state.records.pets.rows.map(({ name }: { name: string }) => name)
}

describe('a state in a file', () => {
  test('is made where there is none, and is what a snapshot is', async () => {
    const sandbox = await start()

    expect(sandbox.output()).toContain(`\nThe state is saved to ${file}.\n`)
    const { version, contract, state } = await kept()
    const snapshot = await createSandbox().snapshot()
    expect({ version, contract, records: state.records }).toEqual({
      version: snapshot.version,
      contract: snapshot.contract,
      records: snapshot.state.records,
    })
  })

  test('may be any snapshot of the contract', async () => {
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

  test('holds a creation once it is acknowledged', async () => {
    const sandbox = await start('--records', '0')

    await post(sandbox, 'Rex')

    expect(await keptNames()).toEqual(['Rex'])
  })

  test('holds what the control interface changed once that is answered', async () => {
    const { base } = await start('--records', '1')

    await fetch(`${new URL(base).origin}/__sandbox/records/pets/1`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Renamed"}',
    })

    expect(await keptNames()).toEqual(['Renamed'])
  })

  test('outlives a kill', async () => {
    const killed = await start()
    const created = await (await post(killed, 'Rex')).json()
    await killed.stop('SIGKILL')

    const sandbox = await start()

    expect(await (await get(sandbox, `/pets/${created.id}`)).json()).toEqual(created)
    expect(await (await post(sandbox, 'Next')).json()).toMatchObject({ id: created.id + 1 })
  })

  test('has what nobody waits for soon after', async () => {
    const sandbox = await start()

    await get(sandbox, '/pets')

    await vi.waitFor(async () => expect((await kept()).state.limits).toHaveLength(1), 5000)
  })

  test('is complete, and alone in its folder, once the server was stopped', async () => {
    const sandbox = await start()
    for (let count = 0; count < 7; count += 1) await get(sandbox, '/pets')

    const { code, stderr } = await sandbox.stop()

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [[account, { minute }]] = (await kept()).state.limits
    expect([account, minute.used]).toEqual(['sk_sandbox_free', 7])
    expect(await readdir(folder)).toEqual(['state.json'])
  })

  test('goes before records, seed and scenario, and the start says so', async () => {
    await (await start('--records', '2')).stop()

    const sandbox = await start('--records', '9', '--scenario', 'quota-nearly-spent')

    expect(sandbox.output()).toContain(
      `\nRestored 2 records from ${file} (ignored: records, scenario)\n`,
    )
    expect(await (await get(sandbox, '/pets')).json()).toHaveLength(2)
  })

  test('takes the plans, keys and outcomes that the start names, each once', async () => {
    const told = ['--plan', 'gold=7/70', '--key', 'mine=gold', '--force', 'slow:createPet']
    await (await start()).stop()
    await (await start(...told)).stop()
    await (await start(...told)).stop()

    const { keys, rules } = (await kept()).state

    expect(keys.plans).toContainEqual({ name: 'gold', minute: 7, day: 70 })
    expect(keys.keys).toContainEqual(['mine', { plan: 'gold' }])
    expect(JSON.stringify(rules).match(/"outcome":"slow"/g)).toHaveLength(1)
  })

  test('is told to programs in a line of its own', async () => {
    const sandbox = await start('--log', 'json')

    const [line = ''] = sandbox.output().split('\n')

    expect(JSON.parse(line)).toEqual({ state: file, records: null })
  })

  test('is named by the environment, or beside the configuration file', async () => {
    await writeFile(join(folder, 'config.yaml'), 'state: state.json')

    const started = await startCommand(['--config', join(folder, 'config.yaml')])
    await started.stop()
    const env = { PET_SANDBOX_STATE: file }
    const sandbox = await startCommand([], { env })

    expect(sandbox.output()).toContain(`Restored 50 records from ${file}`)
  })
})

describe('the file', () => {
  test('stays a symbolic link, also to what is not there yet', async () => {
    await mkdir(join(folder, 'disk'))
    await symlink('disk/target.json', file)
    const sandbox = await start('--records', '0')

    await post(sandbox, 'Rex')

    expect((await lstat(file)).isSymbolicLink()).toBe(true)
    expect((await lstat(join(folder, 'disk/target.json'))).isFile()).toBe(true)
    expect(await keptNames()).toEqual(['Rex'])
  })

  test('keeps its permissions', async () => {
    await (await start()).stop()
    await chmod(file, 0o640)
    const sandbox = await start()

    await post(sandbox, 'Rex')

    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  test("is its owner's alone where it is new", async () => {
    await start()

    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('is rid of what killed servers had begun to write, and its neighbours are left', async () => {
    const neighbours = ['other.json.7.tmp', 'state.json.bak', 'state.json.tmp']
    const left = 'state.json.99999.tmp'
    for (const name of [...neighbours, left]) await writeFile(join(folder, name), '{')

    await (await start()).stop()

    expect((await readdir(folder)).sort()).toEqual([...neighbours, 'state.json'].sort())
  })
})

describe('a file that holds no state is refused in one line, and kept as it is:', () => {
  test.each([
    ['an empty one', '', 'the file is empty'],
    ['one of blanks', ' \n', 'the file is empty'],
    ['half of one', '{"version":1,"contract":{"ti', 'the file is damaged: it is not valid JSON'],
    ['another document', '[1, 2]', 'the value must be an object (got array)'],
    [
      'one of another version',
      '{"version":7}',
      'its version is 7, but this release reads version 1',
    ],
    [
      'one of another contract',
      () => edited(({ contract }) => Object.assign(contract, { title: 'Books' })),
      'it belongs to Books 1.0.0, but the contract is Pet Adoption Store 1.0.0',
    ],
    [
      'one with a record that the contract refuses',
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

  test('one with more worlds than there may be, none of which is lost', async () => {
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
])('a place where no file can be, as %s, is refused at the start', async (place, why) => {
  await writeFile(join(folder, 'file'), '')

  const ended = await runCommand(['--state', join(folder, place), '--port', '0'])

  expect(ended.code).toBe(2)
  expect(ended.stderr).toBe(
    `pet-sandbox: Cannot save the state to ${join(folder, place)}: ${why}. Correct this, or name another file.\n`,
  )
})

describe('two servers on one file', () => {
  test('cannot be: the second is refused, and the first goes on', async () => {
    const sandbox = await start()
    await symlink(file, join(folder, 'link.json'))

    const ended = await runCommand(['--state', join(folder, 'link.json'), '--port', '0'])

    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/Cannot save the state to \S+: the process \d+ uses this file/)
    expect((await post(sandbox, 'Rex')).status).toBe(201)
  })

  test('cannot be when both start at once, also where a killed one has left its lock', async () => {
    await (await start()).stop()
    await writeFile(`${file}.lock`, '999999999 1')

    const started = await Promise.allSettled(Array.from({ length: 5 }, () => start()))

    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test.each([
    ['of a process that is no more', () => '999999999 1'],
    ['of an earlier process with the number of one that runs', () => `${process.pid} 1`],
    ['that was never written', () => ''],
  ])('are not what a lock is %s', async (_what, content) => {
    await writeFile(`${file}.lock`, content())

    const sandbox = await start()

    expect((await post(sandbox, 'Rex')).status).toBe(201)
  })

  test('are not what a process is that has ended and was not taken note of', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 9'])
    const [pid] = await once(parent.stdout, 'data')
    const number = Number(String(pid))
    const stat = await readFile(`/proc/${number}/stat`, 'utf8')
    await writeFile(`${file}.lock`, `${number} ${stat.split(' ')[21]}`)
    await new Promise((resolve) => setTimeout(resolve, 100))

    const sandbox = await start()

    expect((await post(sandbox, 'Rex')).status).toBe(201)
    parent.kill()
  })
})

describe('a disk that fails', () => {
  test('gets no creation acknowledged, and is told of once, until it works again', async () => {
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
        /^What the request changed could not be saved, and was undone\. .*its folder does not exist/,
      ),
      status: 500,
    })
    expect([read.status, taken.status]).toEqual([200, 201])
    expect(await read.json()).toEqual([])
    expect(await listed.json()).toMatchObject([{ name: 'Three' }])
    expect(await keptNames()).toEqual(['Three'])
    expect(stderr).toBe(
      `pet-sandbox: Cannot save the state to ${file}: its folder does not exist. Correct this, or name another file.\n` +
        `pet-sandbox: The state is saved to ${file} again.\n`,
    )
  })

  test('has the log tell what was answered', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    file = join(disk, 'state.json')
    const sandbox = await start('--records', '0')
    await rename(disk, `${disk}-away`)

    await post(sandbox, 'Rex')
    await rename(`${disk}-away`, disk)
    const { stdout } = await sandbox.stop()

    expect(stdout).toMatch(
      /POST {4}500 {2}\/v1\/pets .*What the request changed could not be saved/,
    )
  })

  test('is written by itself once it works again', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    file = join(disk, 'state.json')
    const sandbox = await start('--records', '0')
    await rename(disk, `${disk}-away`)
    await post(sandbox, 'Rex')

    await rename(`${disk}-away`, disk)

    await vi.waitFor(async () => expect((await kept()).state.limits).not.toEqual([]), 5000)
    expect(await keptNames()).toEqual([])
  })

  test('at the stop, too, is told, and ends with 1', async () => {
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

/** A snapshot with something changed in it, as a file holds it. */
async function edited(
  edit: (snapshot: Awaited<ReturnType<ReturnType<typeof createSandbox>['snapshot']>>) => unknown,
): Promise<string> {
  const snapshot = await createSandbox().snapshot()
  edit(snapshot)
  return JSON.stringify(snapshot)
}
