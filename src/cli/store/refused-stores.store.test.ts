import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type CommandResult,
  runCommand,
  startCommand,
  stopCommands,
} from '../../testing/command.ts'
import { startFakeRedis } from '../../testing/redis/fake-redis.ts'
import { type StartedRedis, startRedis, stopRedis } from '../../testing/redis/start-redis.ts'

const PASSWORD = 'hunter2'
const PLACE = '127.0.0.1:PORT'

describe('a store that cannot be used', () => {
  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  test.each([
    [
      'has a password, and none is given',
      { password: PASSWORD },
      [],
      `redis://${PLACE}`,
      'it requires a password. Give user and password in the address: redis://USER:PASSWORD@HOST:PORT.',
    ],
    [
      'has another password',
      { password: 'other' },
      [],
      `redis://:${PASSWORD}@${PLACE}`,
      'it refuses the user name or the password. Give user and password in the address: redis://USER:PASSWORD@HOST:PORT.',
    ],
    [
      'does not allow its user a command of a script',
      {},
      [['ACL', 'SETUSER', 'pets', 'on', `>${PASSWORD}`, '~*', '+@all', '-xadd']],
      `redis://pets:${PASSWORD}@${PLACE}`,
      'it does not allow its user what pet-sandbox needs. Allow what the guide names: ACL SETUSER NAME ~pet-sandbox:* +@read +@write +@connection +@scripting +info +time, with the prefix of the store.',
    ],
    [
      'does not allow its user INFO',
      {},
      [['ACL', 'SETUSER', 'pets', 'on', `>${PASSWORD}`, '~*', '+@all', '-info']],
      `redis://pets:${PASSWORD}@${PLACE}`,
      'it does not allow its user the command INFO. Allow what the guide names: ACL SETUSER NAME ~pet-sandbox:* +@read +@write +@connection +@scripting +info +time, with the prefix of the store.',
    ],
    [
      'does not have the database',
      {},
      [],
      `redis://${PLACE}/99`,
      'it has no database of this number. Choose another one.',
    ],
    [
      'is a replica',
      {},
      [['REPLICAOF', '127.0.0.1', '1']],
      `redis://${PLACE}`,
      'it is a replica, which cannot be written to. Use the address of its master.',
    ],
    [
      'is full',
      { maxmemory: '1kb' },
      [],
      `redis://${PLACE}`,
      'it is full (maxmemory). Give it more memory.',
    ],
    [
      'is not a cluster',
      {},
      [],
      `redis+cluster://${PLACE}`,
      'it is not a cluster. Use the address redis://HOST:PORT.',
    ],
    [
      'is a node of a cluster',
      { settings: { 'cluster-enabled': 'yes' } },
      [['CLUSTER', 'ADDSLOTSRANGE', '0', '1']],
      `redis://${PLACE}`,
      'its cluster does not serve all keys. Check the nodes of the cluster.',
    ],
    [
      'is not a sentinel',
      {},
      [],
      `redis+sentinel://:${PASSWORD}@${PLACE}?name=pets`,
      'no sentinel answers, or none knows a server of this name. Check the address, and that the store is running.',
    ],
  ])(
    'ends the command with one line when it %s',
    async (_reason, options, commands, address, message) => {
      const redis = await startRedis(options)
      for (const [command = '', ...args] of commands) await callRedis(redis, command, args)

      const result = await serveOn(address.replace(PLACE, `127.0.0.1:${redis.port}`))

      expectRefused(result, `Cannot use the store at 127.0.0.1:${redis.port}: ${message}`)
    },
  )

  test.each([
    ['redis://user:hunter2@pets.invalid', 'the name of its host is unknown.'],
    [
      'redis+cluster://user:hunter2@pets.invalid,pets.invalid:1',
      'the name of its host is unknown.',
    ],
    ['redis+cluster://user:hunter2@127.0.0.1:1', 'nothing listens at its address.'],
    ['redis+sentinel://user:hunter2@127.0.0.1:1?name=pets', 'no sentinel answers, or none knows'],
  ])('ends the command with one line at %s', async (address, message) => {
    const result = await serveOn(address)

    expectRefused(result, message)
  })

  test.each([
    [
      'is older than Redis 7',
      ['redis_version:6.2.6'],
      'it is Redis 6.2.6. Use Redis 7 or later, or Valkey.',
    ],
    [
      'does not know scripts',
      ['redis_version:7.2.4', 'server_name:valkey', 'valkey_version:8.0.1'],
      'it refuses a command that pet-sandbox needs. Use Redis 7 or later, or Valkey.',
    ],
    ['does not answer', [], 'it did not answer in time. Try again later.'],
  ])('ends the command with one line when it %s', async (_reason, facts, message) => {
    const fake = await startFakeRedis(facts)

    const result = await serveOn(`redis://user:hunter2@127.0.0.1:${fake.port}`)

    expectRefused(result, message)
    await fake.close()
  })

  test('ends the command with one line when another version of pet-sandbox wrote it', async () => {
    const redis = await startRedis()
    await callRedis(redis, 'HSET', ['pet-sandbox:contract', 'format', '2'])

    const result = await serveOn(redis.address)

    expectRefused(result, 'another version of pet-sandbox wrote what it has under the prefix')
  })

  test.each([
    [
      'is a text',
      ['SET', 'pet-sandbox:1:{default}', 'garbage'],
      'it has a value that pet-sandbox did not write. Choose another prefix.',
    ],
    [
      'has no configuration',
      ['HSET', 'pet-sandbox:1:{default}', 'epoch', 'a', 'version', '1', 'text', '{}'],
      'its default world cannot be read. Choose another prefix with --store-prefix.',
    ],
  ])(
    'ends the command with one line when its default world %s',
    async (_what, command, message) => {
      const redis = await startRedis()
      const [name = '', ...args] = command
      await callRedis(redis, name, args)

      const result = await serveOn(redis.address)

      expectRefused(result, `Cannot use the store: ${message}`)
    },
  )
})

describe('a server with other options than those of the store', () => {
  let redis: StartedRedis
  beforeAll(async () => {
    redis = await startRedis()
    const first = ['--seed', '7', '--worlds', '5', '--world-by', 'key']
    await startCommand([...first, '--store', redis.address])
  })
  afterAll(async () => {
    await stopCommands()
    await stopRedis()
  })

  test.each([
    ['seed', ['--seed', '8', '--worlds', '5', '--world-by', 'key']],
    ['worlds', ['--seed', '7', '--worlds', '6', '--world-by', 'key']],
    ['worldBy, worldTtl', ['--seed', '7', '--worlds', '5']],
    ['worldTtl', ['--seed', '7', '--worlds', '5', '--world-by', 'key', '--world-ttl', '5m']],
    ['force', ['--seed', '7', '--worlds', '5', '--world-by', 'key', '--force', 'slow']],
  ])('is refused with the names of the options: %s', async (names, args) => {
    const result = await runCommand([...args, '--store', redis.address])

    expectRefused(
      result,
      `its worlds under the prefix "pet-sandbox" have another document or other options (${names}). Start all servers of a store with the same document and options, or choose`,
    )
  })

  test('serves when it differs in what no client of the API sees', async () => {
    const args = [
      '--seed',
      '7',
      '--worlds',
      '5',
      '--world-by',
      'key',
      '--public-url',
      'http://a.test',
    ]

    const { stop } = await startCommand([...args, '--store', redis.address])

    expect(await stop()).toMatchObject({ code: 0 })
  })
})

describe('the address of a store', () => {
  afterEach(stopCommands)

  test.each(['serve', 'explain', 'compile'])(
    'is not shown when it is given to "%s" as the document',
    async (command) => {
      const result = await runCommand([command, `redis://user:${PASSWORD}@127.0.0.1:6379`])

      expectRefused(
        result,
        'Cannot load the document: it is the address of a store. Give it with --store',
      )
    },
  )

  test.each(['', '/run/redis/hunter2.sock', 'https://user:hunter2@127.0.0.1', 'redis:hunter2'])(
    'must not be "%s"',
    async (address) => {
      const result = await runCommand(['--store', address])

      expectRefused(
        result,
        address === '' ? 'it must be an address.' : 'it is not an address of Redis.',
      )
    },
  )

  test('must not be an empty variable, which would give each server a state of its own', async () => {
    const result = await serveOn('')

    expectRefused(
      result,
      'Cannot use PET_SANDBOX_STORE: it must be an address. Write it as redis://USER:PASSWORD@HOST:6379/0, or leave it unset to keep the state in memory.',
    )
  })
})

function serveOn(address: string): Promise<CommandResult> {
  return runCommand(['--port', '0', '--log', 'json'], { env: { PET_SANDBOX_STORE: address } })
}

/** Checks that a command has ended with one line, which does not contain the password. */
function expectRefused({ code, stdout, stderr }: CommandResult, message: string): void {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^pet-sandbox: Cannot .*\n$/)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(PASSWORD)
}

async function callRedis(
  { address }: StartedRedis,
  command: string,
  args: readonly string[],
): Promise<void> {
  const client = new Redis(address)
  await client.call(command, ...args)
  client.disconnect()
}
