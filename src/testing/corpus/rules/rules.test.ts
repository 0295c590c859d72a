import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FILTER_RULES } from '../../../inference/filters.ts'
import { PUT_RULES } from '../../../inference/put-action.ts'
import { VALUE_RULES } from '../../../inference/value-rules.ts'
import { useTemporaryDirectory } from '../../temporary-directory.ts'

interface Row {
  readonly name: string
  readonly documents: number
  readonly names: number
  readonly same: number
  readonly other: number
}

const directory = useTemporaryDirectory()

/** The script runs without types, so TypeScript does not read it. */
async function countRules(file: string): Promise<readonly Row[]> {
  const script: { readonly countRules: CallableFunction } = await import(
    new URL('./count-rules.mjs', import.meta.url).href
  )
  return script.countRules([{ id: 'tasks', file }])
}

const TASK = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    comment_count: { type: 'integer' },
    locked: { type: 'boolean' },
  },
}
const EXAMPLE = { id: 1, title: 'One', comment_count: 3, locked: false }

/** A JSON body of this schema. */
function body(schema: object, example?: object): object {
  return { content: { 'application/json': { schema, ...(example && { example }) } } }
}

test('the rules that decide in a document are counted, and the examples of new records against them', async () => {
  const file = join(directory(), 'api.json')
  const title = { type: 'object', properties: { title: { type: 'string' } } }
  const query = [{ name: 'created_after', in: 'query', schema: { type: 'string' } }]
  const paths = {
    '/tasks': {
      get: {
        parameters: query,
        responses: { 200: { description: 'ok', ...body({ type: 'array', items: TASK }) } },
      },
      post: {
        requestBody: body(title),
        responses: { 201: { description: 'ok', ...body(TASK, EXAMPLE) } },
      },
    },
  }
  await writeFile(
    file,
    JSON.stringify({ openapi: '3.1.1', info: { title: 'T', version: '1' }, paths }),
  )

  const rows = (await countRules(file)).filter(({ documents }) => documents > 0)

  expect(rows.map(({ name, names, same, other }) => [name, names, same, other])).toEqual([
    ['created', 1, 0, 0],
    ['count', 1, 0, 1],
    ['flag', 1, 1, 0],
    ['comparison', 1, 0, 0],
  ])
})

test('the guide has each named rule, with what it does and how often it decides', async () => {
  const page = await readFile('.github/docs/how-it-decides.md', 'utf8')
  const rows = page.split('\n').flatMap((line) => /^\| (.+?) \| (.+?) \|/.exec(line) ?? [])

  for (const { name } of [...VALUE_RULES, ...FILTER_RULES, ...PUT_RULES])
    expect(rows).toContain(name)
  for (const { name } of [...VALUE_RULES, ...FILTER_RULES])
    expect(rows.filter((cell) => cell === name).length).toBeGreaterThan(1)
})
