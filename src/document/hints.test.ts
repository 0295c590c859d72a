import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract, Schema } from '../contract/contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { loadContract } from './load-contract.ts'

const TASKS = `openapi: 3.1.1
info: { title: Tasks, version: '1' }
paths:
  /tasks:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, x-sandbox: { default: 1 } } }
      responses:
        '200':
          description: Tasks.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Task' } } } }
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
      responses:
        '201':
          description: The task.
          content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } }
        '400': { description: Refused. }
        '503': { $ref: '#/components/responses/Down' }
  /tasks/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
      responses:
        '200':
          description: The task.
          content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } }
components:
  responses:
    Down: { description: Forced., x-sandbox: { forced: true } }
  schemas:
    State: { type: string, enum: [open, done], default: done }
    Task:
      type: object
      properties:
        id: { type: integer, readOnly: true }
        state: { $ref: '#/components/schemas/State', x-sandbox: { default: open } }
        owner: { type: object, properties: { name: { type: string, x-sandbox: { default: nobody } } } }
        note: { type: string, default: none }
`

let folder = ''
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  contract = await load(TASKS)
})

afterAll(() => rm(folder, { recursive: true }))

async function load(text: string): Promise<Contract> {
  const file = join(folder, 'tasks.yaml')
  await writeFile(file, text)
  return loadContract(file, { strict: true })
}

function send(method: string, path: string, body?: unknown): Promise<Response> {
  const sandbox = createSandbox({ contract, records: 3, auth: false })
  return sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      }),
    }),
  )
}

describe('x-sandbox: { default } on a schema', () => {
  it('is the default in the contract and overrides "default"', () => {
    const task = contract.operations.find(({ method }) => method === 'POST')?.body?.schema

    expect(task?.properties?.state).toEqual({
      type: 'string',
      enum: ['open', 'done'],
      default: 'open',
    } satisfies Schema)
    expect(task?.properties?.note?.default).toBe('none')
  })

  it('is set when a record is created, at any depth', async () => {
    const response = await send('POST', '/tasks', { owner: {} })

    expect(await response.json()).toEqual({
      id: 4,
      owner: { name: 'nobody' },
      state: 'open',
      note: 'none',
    })
  })

  it('is set when a record is replaced', async () => {
    const response = await send('PUT', '/tasks/1', { note: 'new' })

    expect(await response.json()).toEqual({ id: 1, note: 'new', state: 'open' })
  })

  it('is the value of an omitted query parameter', async () => {
    const response = await send('GET', '/tasks')

    expect(await response.json()).toHaveLength(1)
  })

  it.each([
    [
      '{ defualt: open }',
      '"x-sandbox" of a schema has an unknown field "defualt"',
      'Did you mean "default"?',
    ],
    ['open', '"x-sandbox" must be an object', 'Write an object with "default".'],
  ])('written as %s is rejected, with its location', async (hint, why, advice) => {
    const wrong = TASKS.replace('{ default: open }', hint)

    await expect(load(wrong)).rejects.toThrow(
      new RegExp(`${why} \\(.*tasks\\.yaml:37:\\d+\\)\\. ${advice.replace('?', '\\?')}`),
    )
  })
})

describe('x-sandbox: { forced } on a response', () => {
  it('removes the response from the contract', () => {
    const create = contract.operations.find(({ method }) => method === 'POST')

    expect(create?.responses.map(({ status }) => status)).toEqual([201, 400])
  })

  it('that is misspelt is rejected, with its location', async () => {
    const wrong = TASKS.replace('{ forced: true }', '{ force: true }')

    await expect(load(wrong)).rejects.toThrow(
      /"x-sandbox" of a response has an unknown field "force" \(.*tasks\.yaml:30:\d+\)\. Did you mean "forced"\?/,
    )
  })
})
