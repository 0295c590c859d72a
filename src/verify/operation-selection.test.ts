import { describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { selectOperations } from './operation-selection.ts'

const responses = { 200: { description: 'OK' } }
const id = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'integer' },
})

function load(): Promise<Contract> {
  return loadDocumentOf({
    '/users': {
      get: { operationId: 'listUsers', tags: ['People'], responses },
      post: { operationId: 'createUser', tags: ['People'], responses },
    },
    '/users/{id}': {
      parameters: [id('id')],
      get: { operationId: 'getUser', tags: ['People'], responses },
      delete: { operationId: 'deleteUser', responses },
    },
    '/users/{id}/keys/{key}': {
      parameters: [id('id'), id('key')],
      delete: { operationId: 'deleteKey', responses },
    },
    '/health': { get: { operationId: 'getHealth', responses } },
  })
}

async function selected(
  only: readonly string[],
  exclude: readonly string[] = [],
): Promise<string[]> {
  const { tested } = selectOperations(await load(), only, exclude)
  return [...tested].map((operation) => operation.id)
}

describe('operations are selected by', () => {
  test.each<[what: string, text: string, ids: readonly string[]]>([
    ['their id', 'getUser', ['getUser']],
    ['their method', 'delete', ['deleteUser', 'deleteKey']],
    ['their tag', 'people', ['listUsers', 'createUser', 'getUser']],
    ['their path', '/users', ['listUsers', 'createUser']],
    ['their path with other names of parameters', '/users/{userId}', ['getUser', 'deleteUser']],
    ['a pattern for a segment', '/users/*', ['getUser', 'deleteUser']],
    ['a pattern for any segments', '/users/**', ['getUser', 'deleteUser', 'deleteKey']],
    ['a pattern in the middle', '/**/keys/{key}', ['deleteKey']],
    ['method and path', 'DELETE /users/**', ['deleteUser', 'deleteKey']],
  ])('%s', async (_what, text, ids) => {
    expect(await selected([text])).toEqual(ids)
  })

  test('several texts', async () => {
    expect(await selected(['getHealth', 'deleteUser'])).toEqual(['getHealth', 'deleteUser'])
  })

  test('what is not excluded', async () => {
    expect(await selected([], ['DELETE', 'People'])).toEqual(['getHealth'])
    expect(await selected(['/users/**'], ['DELETE'])).toEqual(['getUser'])
  })
})

describe('a text that selects no operation', () => {
  test.each([
    ['getUsr', 'Did you mean "getUser"?'],
    ['/user', 'Did you mean "/users"?'],
    ['wrong-key', 'To select checks by their words, use --check.'],
  ])('is refused: %s', async (text, help) => {
    await expect(selected([text])).rejects.toThrow(
      `Cannot verify only "${text}": no operation of the document has this id, method, path or tag.`,
    )
    await expect(selected([text])).rejects.toThrow(help)
  })

  test('is refused as an exclusion', async () => {
    await expect(selected([], ['deleteUsers'])).rejects.toThrow('Did you mean "deleteUser"?')
  })

  test('is refused when everything is excluded', async () => {
    await expect(selected(['getUser'], ['GET'])).rejects.toThrow(
      'Cannot verify the service: all selected operations are excluded.',
    )
  })
})
