import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { Mistake } from '../document/mistake.ts'
import { runCommand, startCommand } from '../testing/command.ts'
import { EXAMPLES } from '../testing/guide/example-code.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { parseCsv } from './data.ts'

const folder = useTemporaryDirectory()

const CODE_HOST = `openapi: 3.1.0
info: { title: Code, version: '1' }
paths:
  /orgs:
    get: { responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Org' } } } } } } }
  /orgs/{org}:
    parameters: [{ name: org, in: path, required: true, schema: { type: string } }]
    get: { responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Org' } } } } } }
  /orgs/{org}/repos:
    parameters: [{ name: org, in: path, required: true, schema: { type: string } }]
    get: { responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Repo' } } } } } } }
  /orgs/{org}/repos/{repo}:
    parameters: [{ name: org, in: path, required: true, schema: { type: string } }, { name: repo, in: path, required: true, schema: { type: integer } }]
    get: { responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Repo' } } } } } }
components:
  schemas:
    Org: { type: object, required: [org, city], properties: { org: { type: string }, city: { type: string } } }
    Repo: { type: object, required: [id, name, private], properties: { id: { type: integer }, name: { type: string }, private: { type: boolean }, topics: { type: array, items: { type: string } } } }
`

const SHOP = `openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /products:
    get: { responses: { '200': { description: All., content: { application/json: { schema: { type: object, properties: { data: { type: array, items: { $ref: '#/components/schemas/Product' } }, next: { type: [string, 'null'] } } } } } } } }
  /products/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Product' } } } } } }
components:
  schemas:
    Product: { type: object, required: [id, unitPrice], properties: { id: { type: integer }, unitPrice: { type: integer }, note: { type: string } } }
`

async function write(name: string, text: string): Promise<string> {
  const file = join(folder(), name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

/** The bodies of GET requests to a server with these arguments. */
async function bodiesOf(
  args: readonly string[],
  paths: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly unknown[]> {
  const started = await startCommand(
    ['serve', ...args, '--port', '0', '--log', 'silent', '--auth', 'off'],
    { env },
  )
  try {
    return await Promise.all(
      paths.map(async (path) => (await fetch(`${started.base}${path}`)).json()),
    )
  } finally {
    await started.stop()
  }
}

/** What the command prints when it refuses the files, without the folder. */
async function refusalOf(...args: string[]): Promise<string> {
  const { code, stderr } = await runCommand(['serve', ...args, '--port', '0'])
  expect(code).toBe(2)
  return stderr.replaceAll(folder(), '.')
}

describe('--data', () => {
  test('reads the example of the guide', async () => {
    const [pets] = await bodiesOf(['--data', join(EXAMPLES, 'db.json')], ['/pets'])

    expect(pets).toEqual([
      { id: 7, name: 'Rex', categoryId: 2, status: 'available' },
      { id: 8, name: 'Bella', categoryId: expect.any(Number), status: 'sold' },
    ])
  })

  test('reads the answers of the guide', async () => {
    const files = [join(EXAMPLES, 'payments.yaml'), '--data', join(EXAMPLES, 'answers.yaml')]

    const [customers, payment] = await bodiesOf(files, ['/v1/customers', '/v1/payments/pay_1'])

    expect(customers).toMatchObject({ data: [{ id: 'cus_Ada', name: 'Ada' }], has_more: false })
    expect(payment).toMatchObject({ amount: 1200, customer: 'cus_Ada', status: 'processing' })
  })

  test('reads a file of arrays by collection, and generates what a record lacks', async () => {
    const file = await write(
      'db.json',
      '{ "pets": [{ "name": "Rex", "categoryId": 2 }, { "id": "9", "name": "Max" }] }',
    )

    const [pets] = await bodiesOf(['--data', file], ['/pets'])

    expect(pets).toEqual([
      { id: 9, name: 'Max', categoryId: expect.any(Number), status: expect.any(String) },
      { id: 10, name: 'Rex', categoryId: 2, status: expect.any(String) },
    ])
  })

  test('reads a folder with a file for each collection, also of a collection below a record', async () => {
    const document = await write('api.yaml', CODE_HOST)
    await write('data/orgs.yaml', '- { org: acme, city: Bern }\n')
    await write('data/orgs/acme/repos.csv', 'id,name,private,topics\n7,shop,true,"[""a"",""b""]"\n')

    const [orgs, repos] = await bodiesOf(
      [document, '--data', join(folder(), 'data')],
      ['/orgs', '/orgs/acme/repos'],
    )

    expect(orgs).toEqual([{ org: 'acme', city: 'Bern' }])
    expect(repos).toEqual([{ id: 7, name: 'shop', private: true, topics: ['a', 'b'] }])
  })

  test('reads a response of the service, from a file with the name of the collection or of the schema', async () => {
    const document = await write('shop.yaml', SHOP)
    await write('answers/products.json', '{ "data": [{ "id": 7, "unit_price": 3 }], "next": null }')
    const named = await write(
      'db.yaml',
      'Product: { data: [{ id: 7, unitPrice: 3, note: null }] }\n',
    )

    const [byFile] = await bodiesOf(
      [document, '--data', join(folder(), 'answers/products.json')],
      ['/products'],
    )
    const [bySchema] = await bodiesOf([document, '--data', named], ['/products'])

    expect(byFile).toMatchObject({ data: [{ id: 7, unitPrice: 3 }] })
    expect(bySchema).toMatchObject({ data: [{ id: 7, unitPrice: 3 }] })
    expect(bySchema).not.toHaveProperty('data.0.note')
  })

  test('lists all mistakes of a response at their places in the file', async () => {
    const document = await write('shop.yaml', SHOP)
    const file = await write(
      'products.json',
      '{ "data": [\n  { "id": 7, "unit_price": "x" },\n  { "id": 7, "unit_prise": 3 }\n] }',
    )

    const refusal = await refusalOf(document, '--data', file)

    expect(refusal).toContain('products.data[0].unit_price must be integer (./products.json:2:28).')
    expect(refusal).toContain(
      'unknown property "products.data[1].unit_prise" (./products.json:3:14). Did you mean "unitPrice"?',
    )
    expect(refusal).toContain('products.data[1].id must be unique')
  })

  test('is repeatable, in the environment, and beside --records', async () => {
    const document = await write('api.yaml', CODE_HOST)
    const [one, two] = [
      await write('one.json', '{ "orgs": [{ "org": "acme" }] }'),
      await write('two.yaml', 'orgs: [{ org: globex }]\n'),
    ]

    const [orgs, repos] = await bodiesOf(
      [document, '--records', '2', '--data', one, '--data', two],
      ['/orgs', '/orgs/acme/repos'],
    )
    const [again] = await bodiesOf([document], ['/orgs'], { PET_SANDBOX_DATA: `${one},${two}` })

    expect(orgs).toMatchObject([{ org: 'acme' }, { org: 'globex' }])
    expect(repos).toHaveLength(2)
    expect(again).toEqual(orgs)
  })

  test('is refused with the place of each mistake', async () => {
    const file = await write(
      'db.json',
      '{\n  "pet": [],\n  "pets": [\n    { "name": 5 },\n    { "name": "Max", "status": "soldd" }\n  ]\n}\n',
    )
    const csv = await write('pets.csv', 'id,name,categoryId\n1,Rex,two\n')

    expect(await refusalOf('--data', file, '--data', csv)).toContain(
      [
        './db.json, ./pets.csv: 4 mistakes.',
        '  unknown collection "pet" (./db.json:2:3). Did you mean "pets"?',
        '  pets[0].name must be string (./db.json:4:15).',
        '  pets[1].status must be one of available, pending, sold (got "soldd") (./db.json:5:32). Did you mean "sold"?',
        '  pets[0].categoryId must be integer (./pets.csv:2:7).',
      ].join('\n'),
    )
  })

  test('lists what is wrong with the text of files and with their records at once', async () => {
    const yaml = await write(
      'db.yaml',
      'pets:\n  - { name: Rex, name: Max }\n  - 17\n  - { nme: 1 }\n',
    )
    const csv = await write('pets.csv', 'id,name\n1,Rex,2\nx,Max\n2,"Ash\n')

    expect(await refusalOf('--data', yaml, '--data', csv)).toContain(
      [
        './db.yaml, ./pets.csv: 6 mistakes.',
        '  the key "name" is duplicated (./db.yaml:2:18). Remove one of the two keys.',
        '  the quotes of the value are not closed, or are within it (./pets.csv:4:3). Write a quote in a value as two, and the whole value in quotes: "a ""b"" c".',
        '  the line has more than 2 values (./pets.csv:2:7). Write values that contain a comma in double quotes.',
        '  pets[1] must be an object (got 17) (./db.yaml:3:5).',
        '  unknown property "pets[2].nme" (./db.yaml:4:7). Did you mean "name"?',
        '  pets[1].id must be integer (./pets.csv:3:1).',
      ].join('\n'),
    )
  })

  test('lists thousands of mistakes within seconds', async () => {
    const pets = Array.from({ length: 5000 }, () => ({ name: 7, categoryId: 1 }))
    const file = await write('db.json', JSON.stringify({ pets }))

    const refusal = await refusalOf('--data', file)

    expect(refusal).toContain('./db.json: 5000 mistakes.')
    expect(refusal).toContain('  pets[19].name must be string (./db.json:1:')
    expect(refusal).toContain('  … and 4980 more.')
  })

  test('is refused for a collection below records that is not named by its path', async () => {
    const document = await write('api.yaml', CODE_HOST)
    const file = await write('db.json', '{ "repos": [] }')
    const misspelt = await write('reops.json', '[]')

    expect(await refusalOf(document, '--data', file)).toContain(
      '"repos" is below other records (./db.json:1:3). Name one collection by its path, such as orgs/org/repos.',
    )
    expect(await refusalOf(document, '--data', misspelt)).toMatch(
      /unknown collection "reops" .*Did you mean "orgs\/\{org\}\/repos"\?/,
    )
  })

  test.each<[what: string, name: string, text: string, message: string]>([
    ['nothing', 'missing', '', 'the file does not exist. Name a file or a folder.'],
    [
      'a text',
      'db.json',
      '"x"',
      'the file must be an object of arrays, or an array (./db.json:1:1).',
    ],
    [
      'a list of numbers',
      'pets.json',
      '[1]',
      'pets[0] must be an object (got 1) (./pets.json:1:2).',
    ],
    ['a file with a syntax error', 'db.json', '{ "pets": [}', './db.json:1:12'],
  ])('is refused for %s', async (_what, name, text, message) => {
    if (text !== '') await write(name, text)

    expect(await refusalOf('--data', join(folder(), name))).toContain(message)
  })
})

describe('--records', () => {
  test('counts the records of each collection, and of all others', async () => {
    const document = await write('api.yaml', CODE_HOST)
    const paths = ['/orgs', '/orgs/acme/repos', '/orgs/globex/repos']
    const counts = async (...args: string[]): Promise<readonly unknown[]> =>
      (await bodiesOf([document, ...args], paths)).map((body) => Array.isArray(body) && body.length)

    expect(await counts('--records', 'orgs=3', '--records', 'orgs/acme/repos=1')).toEqual([
      3, 1, 10,
    ])
    expect(await counts('--records', '4', '--records', 'repos=2')).toEqual([4, 2, 2])
  })

  test('is refused for an unknown collection', async () => {
    expect(await refusalOf('--records', 'pet=3')).toContain(
      'unknown collection "records.pet". Did you mean "pets"?',
    )
  })

  test('in the configuration file are refused with the place of each mistake', async () => {
    const config = await write(
      'settings.yaml',
      'records:\n  pet: []\n  pets:\n    - { name: Max, categoryId: x }\n    - { nme: Max, categoryId: 1 }\n',
    )

    expect(await refusalOf('--config', config)).toContain(
      [
        'Cannot load ./settings.yaml: 4 mistakes.',
        '  unknown collection "records.pet" (./settings.yaml:2:3). Did you mean "pets"?',
        '  records.pets[0].categoryId must be integer (./settings.yaml:4:32).',
        '  unknown property "records.pets[1].nme" (./settings.yaml:5:9). Did you mean "name"?',
        '  records.pets[1].name is required (./settings.yaml:5:7).',
      ].join('\n'),
    )
  })
})

function rowsOf(text: string): readonly unknown[] {
  return parseCsv('pets.csv', text, []).map(({ values }) => values)
}

function mistakeOf(text: string): string {
  const mistakes: Mistake[] = []
  parseCsv('pets.csv', text, mistakes)
  return mistakes.map(({ location, reason }) => `${location}: ${reason}`).join()
}

describe('CSV', () => {
  it.each<[rule: string, text: string, rows: readonly unknown[]]>([
    ['names its columns in the first line', 'id,name\n1,Rex\n', [{ id: '1', name: 'Rex' }]],
    ['needs no line break at its end', 'id\n1\n2', [{ id: '1' }, { id: '2' }]],
    ['may have the line breaks of Windows', 'id\r\n1\r\n', [{ id: '1' }]],
    ['may start with a byte order mark', '\uFEFFid\n1\n', [{ id: '1' }]],
    ['has no value in an empty cell', 'id,name\n1,\n', [{ id: '1' }]],
    ['may lack cells at the end of a line', 'id,name\n1\n', [{ id: '1' }]],
    ['has no record in an empty line', 'id\n\n1\n\n', [{ id: '1' }]],
    ['may have commas in quotes', 'name\n"Rex, Max"\n', [{ name: 'Rex, Max' }]],
    ['has a quote as two in quotes', 'name\n"the ""dog"""\n', [{ name: 'the "dog"' }]],
    ['may have line breaks in quotes', 'id,name\n1,"a\nb"\n', [{ id: '1', name: 'a\nb' }]],
    ['has no records without lines', '', []],
  ])('%s', (_rule, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
  })

  it.each<[rule: string, text: string, mistake: string]>([
    ['too many cells', 'id\n1,Rex\n', 'pets.csv:2:3: the line has more than 1 values'],
    ['an unnamed column', 'id,,name\n', 'pets.csv:1:4: the column has no name'],
    ['a column twice', 'id,id\n', 'pets.csv:1:4: the column "id" exists twice'],
    [
      'an open quote',
      'id,name\n1,"Rex\n',
      'pets.csv:2:3: the quotes of the value are not closed, or are within it',
    ],
  ])('is refused with its location for %s', (_rule, text, mistake) => {
    expect(mistakeOf(text)).toBe(mistake)
  })

  it('knows the line and column of each value, also after line breaks in quotes', () => {
    const [first, second] = parseCsv('pets.csv', 'id,name\n"1\n",a\n2,b\n', [])

    expect([first?.line, first?.columns.get('name')]).toEqual([2, 3])
    expect([second?.line, second?.columns.get('name')]).toEqual([4, 3])
  })
})
