import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { scenarios } from '../generated/fixtures.ts'
import { UsageError } from '../validation/usage-error.ts'
import { loadScenarios, type ScenarioOptions } from './load-scenarios.ts'

let home = ''
let folder = ''

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  folder = join(home, 'scenarios')
  await mkdir(folder)
})

afterEach(() => rm(home, { recursive: true }))

function write(file: string, text = 'description: Something.\n'): Promise<void> {
  return writeFile(join(folder, file), text)
}

/** The error message for the scenarios, with paths relative to the parent folder. */
async function refusal(named = folder, options?: ScenarioOptions): Promise<string> {
  const error: unknown = await loadScenarios(named, options).catch((reason) => reason)
  if (!(error instanceof UsageError))
    throw new Error(`No UsageError: ${String(error)}`, { cause: error })

  return error.message.replaceAll(`${home}/`, '')
}

describe('scenarios of a folder', () => {
  test('in fixtures/scenarios equal the generated scenarios', async () => {
    expect(await loadScenarios('fixtures/scenarios')).toEqual(scenarios)
  })

  test('are named by their YAML and JSON files', async () => {
    await write('one.yaml')
    await write('two.yml')
    await write('three.v2.json', '{ "description": "JSON.", "records": 3 }')

    const loaded = await loadScenarios(folder)

    expect(loaded).toEqual({
      one: { description: 'Something.' },
      two: { description: 'Something.' },
      'three.v2': { description: 'JSON.', records: 3 },
    })
  })

  test('can be named __proto__ and constructor', async () => {
    await write('__proto__.yaml')
    await write('constructor.yaml')

    const loaded = await loadScenarios(folder)

    expect(Object.keys(loaded)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(loaded)).toBe(Object.prototype)
  })

  test('are loaded without other files, hidden files and subfolders', async () => {
    await write('slow.yaml')
    await write('README.md', 'What the scenarios are for')
    await write('.slow.yaml', '{')
    await mkdir(join(folder, 'old.yaml'))
    await mkdir(join(folder, 'more'))
    await write('more/other.yaml', '{')

    const loaded = await loadScenarios(folder)

    expect(Object.keys(loaded)).toEqual(['slow'])
  })

  test('can use the given contract, plans and keys', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    await write(
      'mine.yaml',
      `description: My own words.
records: { books: [] }
plans: { gold: { minute: 1 } }
banned: { my_key: 5m }
rules: [{ outcome: slow, operation: readBook }]
`,
    )
    const mine = { plans: { gold: { minute: 10, day: 20 } }, keys: { my_key: 'gold' } }

    const loaded = await loadScenarios(folder, { contract, ...mine })

    expect(Object.keys(loaded)).toEqual(['mine'])
    expect((await refusal()).split('\n')).toHaveLength(5)
  })

  test('can be symbolic links within the folder, and the folder can be one', async () => {
    await write('slow.yaml')
    await symlink('slow.yaml', join(folder, 'slower.yaml'))
    await symlink(folder, join(home, 'linked'))

    const loaded = await loadScenarios(join(home, 'linked'))

    expect(Object.keys(loaded)).toEqual(['slow', 'slower'])
  })
})

describe('a mistake throws an error of one line with its location and a suggestion:', () => {
  const rule = (fields: string): string => `description: A rule.\nrules:\n  - ${fields}\n`
  const bomb = Array.from({ length: 10 }, (_, level) => {
    const items = Array(9).fill(level === 0 ? 'x' : `*a${level - 1}`)
    return `x-${level}: &a${level} [${items.join(', ')}]\n`
  }).join('')

  test.each([
    [
      'an unknown outcome',
      rule('outcome: rate-limitted'),
      'unknown outcome "rate-limitted" in rules[0].outcome (scenarios/x.yaml:3:14). Did you mean "rate-limited"?',
    ],
    [
      'an unknown operation',
      rule('{ outcome: slow, operation: listPet }'),
      'unknown operation "listPet" in rules[0].operation (scenarios/x.yaml:3:33). Did you mean "listPets"?',
    ],
    [
      'an unknown field',
      rule('{ outcome: slow, time: 1 }'),
      'unknown field "rules[0].time" (scenarios/x.yaml:3:22). Did you mean "times"?',
    ],
    [
      'an unknown key',
      'description: A key.\nspent:\n  sk_sandbox_fre: { day: 1 }\n',
      'unknown API key "spent.sk_sandbox_fre" (scenarios/x.yaml:3:3). Did you mean "sk_sandbox_free"?',
    ],
    ['a missing description', 'records: 5\n', 'description is required (scenarios/x.yaml:1:1).'],
    [
      'a record that is not an object',
      'description: Records.\nrecords:\n  pets:\n    - { id: 1, name: Rex, categoryId: 1 }\n    - Rex\n',
      'records.pets[1] must be an object (got "Rex") (scenarios/x.yaml:5:7).',
    ],
    [
      'a number that is not exact',
      'description: Records.\nrecords: { pets: [{ id: 9007199254740993 }] }\n',
      'the number is too large for JavaScript (scenarios/x.yaml:2:25). Write an integer up to 9007199254740991.',
    ],
    [
      'a value that is not an object',
      '- slow\n',
      'the value must be an object (got array) (scenarios/x.yaml:1:1).',
    ],
    [
      'an empty file',
      '# nothing\n',
      'the file is empty (scenarios/x.yaml). Write at least a description: "description: A full store."',
    ],
    [
      'a duplicate key',
      'description: One.\ndescription: Two.\n',
      'the key "description" is duplicated (scenarios/x.yaml:2:1). Remove one of the two keys.',
    ],
    [
      'a tab',
      'rules:\n\t- outcome: slow\n',
      'a tab is used for indentation (scenarios/x.yaml:2:1). Indent with spaces.',
    ],
    [
      'aliases that expand to billions of values',
      bomb,
      'its aliases expand to more than 10,000,000 values (scenarios/x.yaml). Write values instead of some of the aliases.',
    ],
    [
      'an alias inside its own anchor',
      'description: &a\n  b: *a\n',
      'the alias *a is inside its own anchor (scenarios/x.yaml:2:6). Write a value instead of the alias.',
    ],
  ])('%s', async (_mistake, text, error) => {
    await write('x.yaml', text)

    const message = await refusal()

    expect(message).toBe(`Cannot load scenarios: ${error}`)
  })

  test('the mistakes of all files together', async () => {
    await write('a.yaml', 'description: A.\nrecords: -1\nfrozn: true\n')
    await write('b.yaml')
    await write('c.json', '{ "description": "C." "records": 1 }')

    const lines = (await refusal()).split('\n')

    expect(lines).toEqual([
      'Cannot load scenarios: 3 mistakes.',
      '  records must be an integer ≥ 0 or an object of arrays (got -1) (scenarios/a.yaml:2:10).',
      '  unknown field "frozn" (scenarios/a.yaml:3:1). Did you mean "frozen"?',
      '  the JSON is invalid from here on (scenarios/c.json:1:23). Check for a missing comma, quote or bracket.',
    ])
  })
})

describe('a record that violates the contract throws an error:', () => {
  const pets = (...rows: readonly string[]): string =>
    ['description: Records.', 'records:', '  pets:', ...rows.map((row) => `    - ${row}`), ''].join(
      '\n',
    )

  test.each([
    [
      'a value outside the enum',
      pets('{ name: Rex, categoryId: 1, status: avaliable }'),
      'records.pets[0].status must be one of available, pending, sold (got "avaliable") (scenarios/x.yaml:4:43). Did you mean "available"?',
    ],
    [
      'a missing property',
      pets('{ name: Ada, categoryId: 1, status: sold }', '{ name: Rex, status: sold }'),
      'records.pets[1].categoryId is required (scenarios/x.yaml:5:7).',
    ],
    [
      'an unknown property',
      pets('{ name: Rex, categoryId: 1, status: sold, categoryID: 2 }'),
      'unknown property "records.pets[0].categoryID" (scenarios/x.yaml:4:49). Did you mean "categoryId"?',
    ],
    [
      'a value of another type',
      pets('{ name: Rex, categoryId: one, status: sold }'),
      'records.pets[0].categoryId must be integer (scenarios/x.yaml:4:32).',
    ],
    [
      'an id that was generated for an earlier record',
      pets(
        '{ name: Ada, categoryId: 1, status: sold }',
        '{ id: 1, name: Rex, categoryId: 1, status: sold }',
      ),
      'records.pets[1].id must be unique (an earlier record has the id 1) (scenarios/x.yaml:5:13). Give each record its own id, or none.',
    ],
  ])('%s', async (_mistake, text, error) => {
    await write('x.yaml', text)

    expect(await refusal()).toBe(`Cannot load scenarios: ${error}`)
  })

  test('all mistakes, also nested ones, for any contract', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    await write(
      'x.json',
      '{ "description": "Books.", "records": { "books": [{ "titel": "Emma", "author": { "nam": "Jane" } }] } }',
    )

    const lines = (await refusal(folder, { contract })).split('\n')

    expect(lines).toEqual([
      'Cannot load scenarios: 4 mistakes.',
      '  unknown property "records.books[0].titel" (scenarios/x.json:1:53). Did you mean "title"?',
      '  unknown property "records.books[0].author.nam" (scenarios/x.json:1:82). Did you mean "name"?',
      '  records.books[0].title is required (scenarios/x.json:1:51).',
      '  records.books[0].author.name is required (scenarios/x.json:1:80).',
    ])
  })

  test('records without an id are valid', async () => {
    await write(
      'x.yaml',
      pets(
        '{ name: Rex, categoryId: 1, status: sold }',
        '{ name: Ada, categoryId: 2, status: sold }',
      ),
    )

    expect(Object.keys(await loadScenarios(folder))).toEqual(['x'])
  })
})

describe('a folder', () => {
  test.each([
    ['does not exist', 'scenarois', 'the folder does not exist. Check the name.'],
    ['is a file', 'scenarios/README.md', 'it is not a folder. Name the folder of the scenarios.'],
    ['is empty', 'scenarios', 'it has no scenarios. Add a scenario file, such as slow.yaml.'],
  ])('that %s throws an error', async (_fact, named, why) => {
    await write('README.md', 'What the scenarios are for')

    const message = await refusal(join(home, named))

    expect(message).toBe(`Cannot load the scenarios of ${named}: ${why}`)
  })

  test('with two scenarios of the same name is rejected', async () => {
    await write('slow.json', '{ "description": "JSON." }')
    await write('slow.v2.yaml')
    await write('slow.yaml')

    const message = await refusal()

    expect(message).toBe(
      'Cannot load the scenarios of scenarios: scenarios/slow.json and scenarios/slow.yaml have the same name "slow". Rename one of them.',
    )
  })

  test.each([
    [
      'out of the folder',
      '../x.yaml',
      'the symbolic link points outside the folder (scenarios/x.yaml). Copy the file into the folder.',
    ],
    [
      'to a missing file',
      'y.yaml',
      'the target of the symbolic link does not exist (scenarios/x.yaml). Correct or remove the link.',
    ],
  ])('with a symbolic link %s is rejected', async (_fact, target, error) => {
    await writeFile(join(home, 'x.yaml'), 'description: Something.\n')
    await symlink(target, join(folder, 'x.yaml'))

    const message = await refusal()

    expect(message).toBe(`Cannot load scenarios: ${error}`)
  })

  test('with a link to a folder is rejected', async () => {
    await mkdir(join(folder, 'more'))
    await symlink('more', join(folder, 'x.yaml'))

    const message = await refusal()

    expect(message).toBe(
      'Cannot load scenarios: it is not a regular file (scenarios/x.yaml). Remove or rename it.',
    )
  })
})
