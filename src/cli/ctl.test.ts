import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { explainOperations } from '../resources/behaviour/explain-operations.ts'
import { type CommandResult, runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { closeServer, type ServedSandbox, serveSandbox, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { run } from './program.ts'

const NOON = '2027-03-01T12:00:00Z'

let served: ServedSandbox
const folder = useTemporaryDirectory()

beforeEach(async () => {
  served = await serveSandbox({ sandbox: { records: 5 } })
  served.sandbox.clock.set(NOON)
  vi.stubEnv('PET_SANDBOX_URL', served.origin)
})

afterEach(async () => {
  await stopCommands()
  vi.unstubAllEnvs()
  await stopServers()
})

/** Starts `pet-sandbox ctl` in the process of this test, which also serves the sandbox. */
function start(...words: string[]) {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += String(text)
      return true
    }),
  )
  const listeners = process.stdout.listeners('error')
  process.exitCode = 0
  const ended = run(['ctl', ...words])
    .then((): CommandResult => ({ ...written, code: Number(process.exitCode) }))
    .finally(() => {
      process.exitCode = 0
      for (const spy of spies) spy.mockRestore()
      for (const added of process.stdout.listeners('error')) {
        if (!listeners.includes(added)) process.stdout.off('error', added as () => void)
      }
    })

  return { written, ended }
}

function ctl(...words: string[]): Promise<CommandResult> {
  return start(...words).ended
}

/** The standard output of a command that succeeds. */
async function outputOf(...words: string[]): Promise<string> {
  const { stdout, stderr, code } = await ctl(...words)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return stdout
}

function ask(path = '/pets', key = 'sk_sandbox_free'): Promise<Response> {
  return fetch(`${served.origin}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } })
}

test('ctl emit says when nobody gets the event', async () => {
  const alone = await outputOf('emit', 'pet.adopted')
  served.sandbox.events.receive('http://app.test/hooks', async () => new Response())
  const sent = await outputOf('emit', 'pet.adopted')

  expect(alone).toMatch(/^pet\.adopted about pets\/\d+: evt_\w+\nNobody gets it: no subscription/)
  expect(sent).toMatch(/^pet\.adopted about pets\/\d+: evt_\w+\n$/)
})

describe('ctl accounts', () => {
  test('lists quotas and bans, sets what is left, and lifts bans', async () => {
    served.sandbox.setPlan('free', { minute: 2, day: 100 })

    const listed = await outputOf('remaining', 'sk_sandbox_free', '--minute', '0')
    for (let request = 0; request < 10; request += 1) await ask()
    const banned = await outputOf('accounts')
    const lifted = await outputOf('lift-ban', 'sk_sandbox_free')

    expect(listed).toMatch(/^ACCOUNT +CREDENTIAL +PLAN +MINUTE LEFT +DAY LEFT +BAN\n/)
    expect(listed).toMatch(/^sk_sandbox_free +free +0 of 2 +100 of 100 *$/m)
    expect(banned).toMatch(/^sk_sandbox_free .* until 2027-03-01T12:05:00.000Z *$/m)
    expect(lifted).toMatch(/^sk_sandbox_free +free +0 of 2 +100 of 100 *$/m)
  })

  test('refuses an account that does not exist', async () => {
    const { stderr, code } = await ctl('lift-ban', 'sk_sandbox_fre')

    expect({ stderr, code }).toEqual({
      stderr:
        'pet-sandbox: Cannot find the account: unknown account "sk_sandbox_fre". Did you mean "sk_sandbox_free"?\n',
      code: 1,
    })
  })
})

describe('ctl clock', () => {
  test.each([
    ['', '2027-03-01T12:00:00.000Z, frozen'],
    ['advance 61s', '2027-03-01T12:01:01.000Z, frozen'],
    ['advance -61s', '2027-03-01T11:58:59.000Z, frozen'],
    ['advance -PT1M', '2027-03-01T11:59:00.000Z, frozen'],
    ['advance -- -500', '2027-03-01T11:59:59.500Z, frozen'],
    ['set 2030-12-05', '2030-12-05T00:00:00.000Z, frozen'],
    ['freeze', '2027-03-01T12:00:00.000Z, frozen'],
    ['to-reset sk_sandbox_free', '2027-03-01T12:01:00.000Z, frozen'],
    ['to-removal getPet', '2030-12-05T00:00:00.000Z, frozen'],
  ])('%s', async (verb, time) => {
    const [line, note] = (await outputOf('clock', ...verb.split(' ').filter(Boolean))).split('\n')

    expect(line).toBe(time)
    expect(note).toMatch(
      / -/.test(verb) ? /^The clock moved back\. Quota windows start again/ : /^$/,
    )
    expect(new Date(served.sandbox.clock.now()).toISOString()).toBe(time.split(',')[0])
  })

  test('describes the effect of moving the clock back, in JSON too', async () => {
    const { note: forth } = JSON.parse(await outputOf('clock', 'advance', '61s', '--json'))
    const { now, note } = JSON.parse(await outputOf('clock', 'set', '2026-01-01', '--json'))

    expect(forth).toBeUndefined()
    expect(now).toBe('2026-01-01T00:00:00.000Z')
    expect(note).toMatch(/^The clock moved back\. Quota windows start again/)
  })

  test('resume starts the clock again', async () => {
    expect(await outputOf('clock', 'resume')).toMatch(/^2027-03-01T12:00:0\S+, running\n$/)
  })

  test('to-ban-end moves the clock to the end of a ban', async () => {
    await outputOf('plan', 'free=1/100')
    for (let request = 0; request < 11; request += 1) await ask()

    expect(await outputOf('clock', 'to-ban-end', 'sk_sandbox_free')).toContain('12:05:00')
    expect((await ask()).status).toBe(200)
  })
})

describe('ctl', () => {
  test('force forces an outcome with the options of a rule', async () => {
    const printed = await outputOf(
      ...['force', 'slow', '--operation', 'listPets', '--method', 'GET', '--path', '/pets'],
      ...['--key', 'sk_sandbox_free', '--times', '2', '--skip', '1', '--probability', '0.5'],
      ...['--latency', '1ms..2ms'],
    )

    expect(served.sandbox.forced()).toEqual([
      {
        id: 1,
        outcome: 'slow',
        operation: 'listPets',
        method: 'GET',
        path: '/pets',
        key: 'sk_sandbox_free',
        times: 2,
        skip: 1,
        probability: 0.5,
        latency: '1ms..2ms',
        matched: 0,
        forced: 0,
      },
    ])
    expect(printed).toContain(
      '1   slow     listPets GET /pets with sk_sandbox_free, 2 times, after 1, 50 %, latency 1ms..2ms  0        0',
    )
  })

  test('force forces any answer of an operation, and prints what the document says to it', async () => {
    const printed = await outputOf(
      ...['force', 'createPet', '--status', '418', '--field', 'name=is taken', '--times', '1'],
      ...['--header', 'X-A=b=c', '--header', 'X-D=e', '--body', '{"code":"teapot"}'],
      ...['--fault', 'slow-bytes', '--query', 'a=1', '--where-body', '{"name":"Rex"}'],
      ...['--flow', 'tea', '--from', 'start', '--to', 'hot', '--tag', 'Pets'],
    )

    expect(served.sandbox.forced()).toMatchObject([
      {
        operation: 'createPet',
        status: 418,
        fields: { name: 'is taken' },
        headers: { 'X-A': 'b=c', 'X-D': 'e' },
        body: { code: 'teapot' },
        fault: 'slow-bytes',
        where: { query: { a: '1' }, body: { name: 'Rex' } },
        ...{ flow: 'tea', from: 'start', to: 'hot', tag: 'Pets', times: 1 },
      },
    ])
    expect(printed).toContain('418, fields name, body, headers X-A X-D, slow-bytes, tea is hot')
    expect(printed).toContain(
      'createPet, tag Pets, a=1, body with {"name":"Rex"}, while tea is start, 1 time',
    )
    expect(printed).toContain('Warning: The document has no response 418 for createPet.')
  })

  test('force needs no operation for an answer to requests with a path or a tag', async () => {
    await outputOf('force', '--path', '/pets/*', '--status', '503')
    const shown = await outputOf('force', '--tag', 'Pets', '--fault', 'reset')

    expect(shown).toMatch(/reset +tag Pets +0/)
    expect(served.sandbox.forced()).toMatchObject([
      { path: '/pets/*', status: 503 },
      { tag: 'Pets', fault: 'reset' },
    ])
  })

  test('force takes a status and an operation as the flag --force does', async () => {
    await outputOf('force', '503')
    await outputOf('force', '409:listPets')
    await outputOf('force', 'rate-limited:listPets')

    expect(served.sandbox.forced()).toMatchObject([
      { status: 503 },
      { status: 409, operation: 'listPets' },
      { outcome: 'rate-limited', operation: 'listPets' },
    ])
  })

  test('force forces a series', async () => {
    await outputOf('force', 'listPets', '--series', '503, rate-limited,next')

    expect(served.sandbox.forced()).toMatchObject([
      { operation: 'listPets', series: [503, 'rate-limited', 'next'] },
    ])
  })

  test('deliveries force forces a fault on deliveries', async () => {
    const shown = await outputOf('deliveries', 'force', 'twice', '--event', 'pet.*', '--times', '1')

    expect(shown).toMatch(/delivery twice +pet\.\*, 1 time +0 +0/)
    expect(served.sandbox.forced()).toMatchObject([{ delivery: 'twice', event: 'pet.*', times: 1 }])
    await expect(ctl('deliveries', 'force', 'twise')).resolves.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "twice"?'),
    })
  })

  test('forced lists the rules, and unforce removes one or all', async () => {
    await outputOf('force', 'rate-limited', '--retry-after', '7')
    await outputOf('force', 'banned')
    const refused = await ask()

    expect(refused.headers.get('Retry-After')).toBe('7')
    expect(`\n${await outputOf('forced')}`).toMatchInlineSnapshot(`
      "
      ID  OUTCOME       REQUESTS            MATCHED  FORCED
      1   rate-limited  all, Retry-After 7  1        1
      2   banned        all                 0        0
      "
    `)
    expect(JSON.parse(await outputOf('unforce', '1', '--json'))).toMatchObject([{ id: 2 }])
    expect(await outputOf('force', 'slow', '--times', '1')).toMatch(/slow +all, 1 time +0/)
    expect(await outputOf('unforce')).toBe('No outcomes are forced.\n')
  })

  test('scenarios lists the scenarios, and play applies one', async () => {
    expect(await outputOf('scenarios')).toMatch(
      /^SCENARIO +DESCRIPTION\n[\s\S]*^quota-nearly-spent {2}/m,
    )
    expect(await outputOf('play', 'empty-store')).toMatch(/^empty-store: The store has no animals/)
    expect(await served.sandbox.collection('pets').count()).toBe(0)
  })
})

describe('ctl records', () => {
  test('lists collections, and the records of a collection', async () => {
    const pets = await served.sandbox
      .collection('pets')
      .list({ where: { status: ['sold', 'pending'] } })

    expect(await outputOf('records')).toBe('COLLECTION  RECORDS\npets        5\n')
    const listed = await outputOf(
      'records',
      'pets',
      '--where',
      'status=sold',
      '--where',
      'status=pending',
    )
    expect(listed.split('\n')[0]).toMatch(/^id +name +categoryId +status$/)
    expect(listed.trimEnd().split('\n')).toHaveLength(1 + pets.length)
    const json = await outputOf('--json', 'records', 'pets', '--limit', '2')
    expect(JSON.parse(json)).toMatchObject([{ id: 1 }, { id: 2 }])
    const later = await outputOf('--json', 'records', 'pets', '--skip', '2', '--limit', '2')
    expect(JSON.parse(later)).toMatchObject([{ id: 3 }, { id: 4 }])
    expect(await outputOf('records', 'pets', '--where', 'name=Nobody')).toBe(
      'There are no such records.\n',
    )
  })

  test('adds, prints, changes and removes a record', async () => {
    expect(await outputOf('records', 'add', 'pets', 'name="7"', 'categoryId=3')).toMatch(
      /6 +7 +3 +available\n$/,
    )
    await outputOf('records', 'add', 'pets', '{"name":"Rex","categoryId":1}')
    await outputOf('records', 'change', 'pets', '6', 'status=sold', 'name=a=b')

    expect(JSON.parse(await outputOf('records', 'get', 'pets', '6', '--json'))).toEqual({
      id: 6,
      name: 'a=b',
      categoryId: 3,
      status: 'sold',
    })
    expect(await outputOf('records', 'remove', 'pets', '6')).toBe(
      'Removed the record 6 from the collection "pets".\n',
    )
    expect(await served.sandbox.collection('pets').get(7)).toMatchObject({ name: 'Rex' })
  })

  test('ends with 1 for an unknown record', async () => {
    expect(await ctl('records', 'get', 'pets', '99', '--json')).toMatchObject({
      stdout: 'null\n',
      code: 1,
    })
    expect(await ctl('records', 'remove', 'pets', '99')).toMatchObject({
      stdout: 'The collection "pets" has no record with the id 99.\n',
      code: 1,
    })
  })

  test('prints no control characters', async () => {
    await served.sandbox.collection('pets').update(1, { name: '\u001b[31mRed\u009b2J' })

    const printed = await outputOf('records', 'get', 'pets', '1')
    const json = await outputOf('records', 'get', 'pets', '1', '--json')

    expect(`${printed}${json}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(JSON.parse(json)).toMatchObject({ name: '\u001b[31mRed\u009b2J' })
  })
})

describe('ctl prints and changes', () => {
  test('plans', async () => {
    await outputOf('plan', 'free=5/100', 'gold=1/2')

    expect(await outputOf('plans')).toMatch(
      /^PLAN +MINUTE +DAY\nfree +5 +100\n[\s\S]*gold +1 +2\n$/,
    )
    expect(served.sandbox.plans).toContainEqual({ name: 'gold', minute: 1, day: 2 })
  })

  test('keys', async () => {
    const printed = await outputOf('key', 'my_key=pro', 'ada=pro:7', '--remove', 'sk_sandbox_free')

    expect(printed).toMatch(/^my_key +pro$/m)
    expect(printed).toMatch(/^ada +pro +7$/m)
    expect(printed).toMatch(/^sk_sandbox_banned +free +banned$/m)
    expect(printed).not.toContain('sk_sandbox_free')
    expect(JSON.parse(await outputOf('keys', '--json'))).toEqual(served.sandbox.keys)
  })

  test('worlds', async () => {
    await outputOf('--world', 'one', 'records', 'remove', 'pets', '1')

    expect(await outputOf('worlds', 'fork', 'two', '--from', 'one')).toBe(
      'WORLD    REQUESTS\ndefault  0\none      0\ntwo      0\n',
    )
    expect(await served.sandbox.world('two').collection('pets').count()).toBe(4)
    expect(await outputOf('worlds', 'delete', 'one')).toBe('World one is deleted.\n')
    expect(JSON.parse(await outputOf('worlds', '--json'))).toMatchObject([{}, { name: 'two' }])
    expect((await ctl('worlds', 'delete', 'one')).code).toBe(1)
  })

  test('worlds, with quotes around names with commas or spaces, and with shortened long names', async () => {
    const { origin, sandbox } = await serveSandbox({ sandbox: { worlds: 2 } })
    for (const name of ['a, b', 'c > d', 'x'.repeat(200)]) sandbox.world(name).reset()

    const long = `${'x'.repeat(80)}…`
    expect((await outputOf('--url', origin, 'worlds')).replace(/ +/g, ' ')).toBe(
      `WORLD REQUESTS\ndefault 0\n"c > d" 0\n${long} 0\nEvicted worlds, because --worlds limits their number: "a, b"\n`,
    )
  })

  test('worlds, and the names of evicted worlds', async () => {
    const { origin, sandbox } = await serveSandbox({ sandbox: { worlds: 1 } })
    for (const name of ['one', 'two', 'three']) sandbox.world(name)

    expect(await outputOf('--url', origin, 'worlds')).toBe(
      'WORLD    REQUESTS\ndefault  0\nthree    0\nEvicted worlds, because --worlds limits their number: one, two\n',
    )
  })
})

describe('ctl prints', () => {
  test('health', async () => {
    expect(await outputOf('health')).toBe('Pet Adoption Store 1.0.0, ready at /v1, world default\n')
    expect(JSON.parse(await outputOf('--world', 'one', '--json', 'health'))).toMatchObject({
      status: 'ready',
      world: 'one',
    })
  })

  test('the operations of the API, as explain does', async () => {
    const lines = (await outputOf('operations')).split('\n')

    expect(lines[0]).toMatch(/^OPERATION +REQUEST +BEHAVIOUR +RESOURCE +REASON$/)
    expect(lines[3]).toMatch(
      /^getPet +GET \/pets\/\{petId\} +read +pets +GET on a record of pets, /,
    )
    expect(JSON.parse(await outputOf('operations', '--json'))).toMatchObject(
      explainOperations(served.sandbox.contract),
    )
  })

  test('the journal in the format of the log', async () => {
    await ask('/pets?limit=500')
    await ask('/pets/1')
    await ask('/pets/99', 'sk_sandbox_pro')

    const lines = (await outputOf('journal')).replace(/\d+\.\d ms/g, 'N ms').split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toBe(
      '12:00:00  GET     400  /v1/pets?limit=500  free, 59 left, N ms  query.limit must be <= 100',
    )
    const ids = async (...query: string[]): Promise<number[]> => {
      const found: { id: number }[] = JSON.parse(await outputOf('journal', '--json', ...query))
      return found.map(({ id }) => id)
    }
    expect(await ids('--operation', 'getPet')).toEqual([2, 3])
    expect(await ids('--status', '4xx', '--limit', '1')).toEqual([3])
    expect(await ids('--status', '4xx', '--limit', '1', '--oldest')).toEqual([1])
    expect(await ids('--status', '404')).toEqual([3])
    expect(await ids('--key', 'sk_sandbox_pro')).toEqual([3])
    expect(await ids('--since', '2027-03-02')).toEqual([])
    expect(await ids('--until', NOON)).toEqual([1, 2, 3])
    expect(await outputOf('journal', '--operation', 'createPet')).toBe(
      'There are no such exchanges.\n',
    )
  })

  test('the journal as an HTTP archive', async () => {
    await ask()
    await ask('/pets/99')
    const file = join(folder(), 'journal.har')

    expect(JSON.parse(await outputOf('har')).log.entries).toHaveLength(2)
    expect(await outputOf('har', file, '--status', '404')).toBe(`Wrote ${file}.\n`)
    expect(JSON.parse(await readFile(file, 'utf8')).log.entries).toHaveLength(1)
  })
})

describe('ctl restores', () => {
  test('the initial state with reset', async () => {
    await served.sandbox.collection('pets').remove(1)

    expect(await outputOf('reset')).toBe('The sandbox is reset.\n')
    expect(await served.sandbox.collection('pets').count()).toBe(5)
  })

  test('the state of a snapshot', async () => {
    const file = join(folder(), 'state.json')
    await served.sandbox.collection('pets').remove(1)
    await outputOf('snapshot', file)
    await served.sandbox.collection('pets').remove(2)

    expect(await outputOf('restore', file)).toBe(`The sandbox is restored from ${file}.\n`)
    expect(await served.sandbox.collection('pets').count()).toBe(4)
    expect(JSON.parse(await outputOf('snapshot'))).toEqual(await served.sandbox.snapshot())
  })
})

describe('ctl prints one line', () => {
  test.each([
    [
      1,
      'a value that the sandbox rejects',
      'clock advance 61x',
      'Cannot read the duration "61x": it is not a duration',
    ],
    [1, 'an unknown collection', 'records pet', 'unknown collection "pet"'],
    [2, 'an unknown command', 'clok', "unknown command 'clok' (Did you mean clock?)"],
    [
      2,
      'an unknown command of clock',
      'clock advnce',
      'Cannot run the command: unknown command "advnce"',
    ],
    [2, 'an unknown command of worlds', 'worlds frok', 'Did you mean "fork"?'],
    [
      2,
      'an unknown option',
      'force banned --time 2',
      "unknown option '--time' (Did you mean --times?)",
    ],
    [2, 'an unknown outcome', 'force rate-limit', 'Did you mean "rate-limited"?'],
    [2, 'no answer', 'force --path /pets', 'nothing says what is answered. Name an outcome'],
    [2, 'an operation without an answer', 'force listPets', 'unknown outcome "listPets"'],
    [
      1,
      'an unknown operation',
      'force listPet --status 404',
      'Cannot force a response 404 of listPet: unknown operation "listPet". Did you mean "listPets"?',
    ],
    [
      2,
      'a field without a text',
      'force listPets --field limit',
      'Cannot use the option --field: it must be a name and a value, as name=value (got "limit").',
    ],
    [
      2,
      'an unknown answer of a series',
      'force listPets --series 503,nxt',
      'Cannot use the option --series: unknown answer "nxt". Did you mean "next"?',
    ],
    [
      2,
      'an invalid number',
      'force banned --times x',
      'Cannot use the option --times: the value must be an integer ≥ 1 (got string).',
    ],
    [
      2,
      'an invalid probability',
      'force banned --probability 2',
      'it must be a number > 0 and ≤ 1 (got "2").',
    ],
    [
      2,
      'an invalid status',
      'journal --status 6xx',
      'Cannot use the option --status: it must be a status such as 404, or a class such as 4xx (got "6xx").',
    ],
    [
      2,
      'an invalid date',
      'journal --follow --since soon',
      'Cannot search the journal since "soon"',
    ],
    [2, 'an invalid plan', 'plan free', 'it must be PLAN=MINUTE/DAY (got free)'],
    [2, 'a missing key', 'key', 'Cannot change an API key: no key is given'],
    [
      2,
      'an invalid value',
      'records add pets Rex',
      'Cannot use "Rex" as a value: it is not in the form NAME=VALUE. Write it as status=sold.',
    ],
    [
      2,
      'invalid JSON',
      'records add pets {"name":',
      'Cannot read the values: the text is not valid JSON (Unexpected end of JSON input)',
    ],
    [
      2,
      'a missing file',
      'restore nowhere.json',
      'Cannot read nowhere.json: the file does not exist.',
    ],
    [
      1,
      'a missing folder',
      'snapshot nowhere/x.json',
      'Cannot write nowhere/x.json: its folder does not exist.',
    ],
    [
      1,
      'a missing folder',
      'har nowhere/x.har',
      'Cannot write nowhere/x.har: its folder does not exist.',
    ],
    [
      2,
      'an address',
      '--url localhost:4010 health',
      'Cannot connect to the sandbox at "localhost:4010": it is not an http or https URL. Write it as http://127.0.0.1:4010.',
    ],
  ])('and ends with %i: %s', async (code, _what, words, message) => {
    const ended = await ctl(...words.split(' '))

    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(/^pet-sandbox: .*\n$/)
    expect(ended.stderr).toContain(message)
  })

  test('when no sandbox is running', async () => {
    await closeServer(served)

    expect(await ctl('health')).toEqual({
      code: 1,
      stdout: '',
      stderr: `pet-sandbox: Cannot reach the sandbox at ${served.origin}: no server listens at this address. Start it with: pet-sandbox, or check the address. The address ${served.origin} comes from PET_SANDBOX_URL.\n`,
    })
  })

  test('when a file is not valid JSON', async () => {
    const file = join(folder(), 'state.json')
    await writeFile(file, 'no')

    expect(await ctl('restore', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Cannot read ${file}: the text is not valid JSON`),
    })
  })
})

describe('ctl journal --follow', () => {
  test.each([
    ['lines', [], /^12:00:00 {2}GET {5}200 {2}\/v1\/pets\/1 .*\n12:00:00 .*\/v1\/pets\/2 .*\n$/],
    ['one JSON object per line', ['--json'], /^\{"id":1,.*\}\n\{"id":3,.*\}\n$/],
  ])('prints exchanges until SIGINT: %s', async (_how, options, expected) => {
    await ask('/pets/1')
    const { written, ended } = start('journal', '--follow', '--operation', 'getPet', ...options)
    await vi.waitFor(() => expect(written.stdout).not.toBe(''), 20_000)

    await ask('/pets')
    await ask('/pets/2')
    await vi.waitFor(() => expect(written.stdout.trim().split('\n')).toHaveLength(2), 20_000)
    process.emit('SIGINT')

    const { stdout, stderr, code } = await ended
    expect(stdout).toMatch(expected)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  })

  test('prints the exchanges of a complete key, and not those of another key with the same end', async () => {
    served.sandbox.setKey('alice-key-test', 'free')
    served.sandbox.setKey('bobby-key-test', 'free')
    const { written, ended } = start('journal', '--follow', '--key', 'alice-key-test')
    await ask('/pets/1', 'bobby-key-test')
    await ask('/pets/2', 'alice-key-test')
    await vi.waitFor(() => expect(written.stdout).not.toBe(''), 20_000)
    for (const path of ['/pets/3', '/pets/4']) await ask(path, 'bobby-key-test')
    await ask('/pets/5', 'alice-key-test')
    await vi.waitFor(() => expect(written.stdout).toContain('/pets/5'), 20_000)
    process.emit('SIGINT')

    const { stdout } = await ended
    expect(stdout.match(/\/pets\/\d/g)).toEqual(['/pets/2', '/pets/5'])
  })

  test('ends with 1 when no sandbox is running', async () => {
    await closeServer(served)

    expect(await ctl('journal', '--follow')).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('the built ctl', () => {
  test('controls a sandbox that another command started', async () => {
    const started = await startCommand(['--control-token', 'sesame', '--log', 'silent'])
    const options = { env: { PET_SANDBOX_CONTROL_TOKEN: 'sesame', PET_SANDBOX_URL: '' } }

    const ended = await runCommand(['ctl', '--url', started.base, 'records'], options)

    expect(ended).toEqual({ code: 0, stderr: '', stdout: 'COLLECTION  RECORDS\npets        50\n' })
  })

  test('has help with options, examples and exit codes', async () => {
    const { stdout, code } = await runCommand(['ctl', '--help'])
    const force = await runCommand(['ctl', 'force', '--help'])
    const program = await runCommand(['--help'])
    const [records, add] = await Promise.all([
      runCommand(['ctl', 'records', '--help']),
      runCommand(['ctl', 'records', 'add', '--help']),
    ])

    expect(code).toBe(0)
    for (const text of ['PET_SANDBOX_URL', 'clock advance 61s', 'Exit codes:\n  0  done\n  1  '])
      expect(stdout).toContain(text)
    expect(force.stdout).toMatch(/--times <number>[\s\S]*Global Options:[\s\S]*--world <name>/)
    expect(records.stdout).toMatch(/--where <name=value>[\s\S]*--limit <number>/)
    expect(add.stdout).toMatch(/collection +a name from "records"\n[\s\S]*--world <name>/)
    expect(add.stdout).not.toMatch(/--where|--limit/)
    expect(stdout).toContain('.yml')
    expect(program.stdout).toMatch(/^ {2}ctl \[options\] +control a running sandbox/m)
  })
})
