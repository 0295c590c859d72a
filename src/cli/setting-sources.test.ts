import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { UsageError } from '../validation/usage-error.ts'
import { configSource, environmentSource, flagSource } from './setting-sources.ts'
import { resolveSettings } from './settings.ts'

const folder = useTemporaryDirectory()

async function write(file: string, text: string): Promise<string> {
  await writeFile(join(folder(), file), text)
  return join(folder(), file)
}

/** The error message for a configuration file, with paths relative to its folder. */
async function refusal(path: string): Promise<string> {
  const error: unknown = await configSource(path)
    .then((source) => resolveSettings([source]))
    .catch((reason: unknown) => reason)
  if (!(error instanceof UsageError))
    throw new Error(`No UsageError: ${String(error)}`, { cause: error })

  return error.message.replaceAll(`${folder()}/`, '')
}

const ALIAS_BOMB = Array.from({ length: 10 }, (_, level) => {
  const items = Array(9).fill(level === 0 ? 'x' : `*a${level - 1}`)
  return `x-${level}: &a${level} [${items.join(', ')}]\n`
}).join('')

describe('the configuration file', () => {
  test.each([
    ['c.yaml', 'port: 5000\nban: false\nquota: false\nforce:\n  - banned\n  - removed:getPet\n'],
    [
      'c.json',
      '{ "port": 5000, "ban": false, "quota": false, "force": ["banned", "removed:getPet"] }',
    ],
  ])('is %s', async (file, text) => {
    const source = await configSource(await write(file, text))

    const settings = resolveSettings([source])

    expect(settings).toMatchObject({
      port: 5000,
      ban: false,
      quota: false,
      force: ['banned', 'removed:getPet'],
    })
  })

  test('resolves the path of a document from its own folder', async () => {
    const { values } = await configSource(await write('c.yaml', 'openapi: api/books.yaml\n'))

    expect(values.openapi).toBe(join(folder(), 'api/books.yaml'))
  })

  test('errors have the location of the setting', async () => {
    const message = await refusal(await write('c.yaml', '# Mine\n\nport: x\n'))

    expect(message).toBe(
      'Cannot use port (c.yaml:3:1): it must be an integer from 0 to 65535 (got x).',
    )
  })

  test('throws an error for an unknown setting, with a suggestion', async () => {
    const message = await refusal(await write('c.yaml', 'port: 1\nplan: {}\n'))

    expect(message).toBe(
      'Cannot use plan (c.yaml:2:1): unknown setting "plan". Did you mean "plans"?',
    )
  })

  test.each([
    ['empty', ''],
    ['only a comment', '# port: 5000\n'],
  ])('sets nothing when it is %s', async (_kind, text) => {
    const { values } = await configSource(await write('c.yaml', text))

    expect(values).toEqual({})
  })

  test.each([
    [
      'a list',
      'c.yaml',
      '- port: 1\n',
      'Cannot load c.yaml: it must be an object of settings (c.yaml:1:1). Write settings as "port: 4010".',
    ],
    [
      'a word',
      'c.yaml',
      'port\n',
      'Cannot load c.yaml: it must be an object of settings (c.yaml:1:1). Write settings as "port: 4010".',
    ],
    [
      'a duplicate key',
      'c.yaml',
      'port: 1\nport: 2\n',
      'Cannot load c.yaml: the key "port" is duplicated (c.yaml:2:1). Remove one of the two keys.',
    ],
    [
      'aliases that expand to billions of values',
      'c.yaml',
      ALIAS_BOMB,
      'Cannot load c.yaml: its aliases expand to more than 10,000,000 values. Write values instead of some of the aliases.',
    ],
    [
      'deeply nested text',
      'c.yaml',
      `plans: ${'['.repeat(20_000)}`,
      'Cannot load c.yaml: the file is nested more than 400 levels deep (c.yaml:1:409). Flatten the structure.',
    ],
    [
      'broken JSON',
      'c.json',
      '{ "port": 1\n "host": "x" }',
      'Cannot load c.json: the JSON is invalid from here on (c.json:1:11). Check for a missing comma, quote or bracket.',
    ],
  ])('is rejected when it is %s', async (_kind, file, text, expected) => {
    const message = await refusal(await write(file, text))

    expect(message).toBe(expected)
  })

  test('that does not exist throws an error', async () => {
    const message = await refusal(join(folder(), 'c.yaml'))

    expect(message).toBe(
      'Cannot read c.yaml: the file does not exist. Name a YAML or JSON file with --config.',
    )
  })

  test('that is a folder throws an error', async () => {
    await mkdir(join(folder(), 'c.yaml'))

    const message = await refusal(join(folder(), 'c.yaml'))

    expect(message).toBe(
      'Cannot read c.yaml: it is a folder. Name a YAML or JSON file with --config.',
    )
  })
})

describe('the environment', () => {
  test('sets settings with PET_SANDBOX_ variables', () => {
    const source = environmentSource({
      PET_SANDBOX_OPENAPI: 'books.yaml',
      PET_SANDBOX_PORT: '1',
      PET_SANDBOX_HOST: 'localhost',
      PET_SANDBOX_RECORDS: '2',
      PET_SANDBOX_SEED: '3',
      PET_SANDBOX_PLANS: 'free=4/40 pro=5/50',
      PET_SANDBOX_KEYS: 'one=free,two=pro',
      PET_SANDBOX_FORCE: 'banned removed:getPet',
      PET_SANDBOX_LATENCY: '6ms',
      PET_SANDBOX_QUOTA: 'false',
      PET_SANDBOX_AUTH: '0',
      PET_SANDBOX_LOG: 'json',
    })

    const settings = resolveSettings([source])

    expect(settings).toEqual({
      openapi: 'books.yaml',
      port: 1,
      host: 'localhost',
      records: 2,
      seed: 3,
      plans: { free: { minute: 4, day: 40 }, pro: { minute: 5, day: 50 } },
      keys: { one: 'free', two: 'pro' },
      force: ['banned', 'removed:getPet'],
      latency: '6ms',
      quota: false,
      auth: false,
      log: 'json',
    })
  })

  test('sets nothing with empty variables and variables of other programs', () => {
    const { values } = environmentSource({ PET_SANDBOX_PORT: '', PET_SANDBOX_URL: 'x', PORT: '1' })

    expect(values).toEqual({})
  })

  test('errors name the variable of a setting', () => {
    const { nameOf } = environmentSource({})

    expect(nameOf('plans')).toBe('PET_SANDBOX_PLANS')
  })
})

describe('flags', () => {
  function parse(...args: string[]): Command {
    const command = new Command()
      .option('--port <number>')
      .option('--plan <plan>', '', (value: string) => [value])
      .option('--no-quota')
      .option('--config <file>')
    return command.parse(args, { from: 'user' })
  }

  test('set only the given settings', () => {
    const { values } = flagSource('books.yaml', parse('--plan', 'a=1/2', '--config', 'c.yaml'))

    expect(values).toEqual({ openapi: 'books.yaml', plans: ['a=1/2'] })
  })

  test('that begin with --no- set false', () => {
    const { values } = flagSource(undefined, parse('--no-quota'))

    expect(values).toEqual({ quota: false })
  })

  test('errors name the flag of a setting', () => {
    const { nameOf } = flagSource(undefined, parse())

    expect([nameOf('port'), nameOf('plans'), nameOf('quota')]).toEqual([
      '--port',
      '--plan',
      '--no-quota',
    ])
  })
})
