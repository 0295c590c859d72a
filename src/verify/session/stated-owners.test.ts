import { expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { type DocumentTexts, NO_TEXTS } from '../../document/document-texts.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { hasCommonRecords, isShared, ownedCollections, ownRefusal } from './stated-owners.ts'

const responses = {
  200: { description: 'OK' },
  403: { description: 'No' },
  404: { description: 'No' },
}
const inPath = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
})

/** Houses with bins, and complaints. */
const contract: Contract = await loadDocumentOf({
  '/houses/{house}': {
    parameters: [inPath('house')],
    get: { operationId: 'readHouse', responses },
  },
  '/houses/{house}/bins/{bin}': {
    parameters: [inPath('house'), inPath('bin')],
    get: { operationId: 'readBin', responses },
    delete: { operationId: 'removeBin', responses },
  },
  '/complaints/{complaint}': {
    parameters: [inPath('complaint')],
    get: { operationId: 'readComplaint', responses },
  },
})

function texts(api: string, operations: Readonly<Record<string, string>> = {}): DocumentTexts {
  return { ...NO_TEXTS, api, operation: (id) => operations[id] ?? '' }
}

test.each([
  ['nothing says whose the records are', texts(''), undefined],
  ['all records belong to their account', texts('A key sees only what belongs to it.'), undefined],
  [
    'who sends no key is said beside the collection that is private',
    texts(
      'A complaint is private. No token, or another scheme: 401. Another kind is refused, too (401).',
    ),
    ['complaints'],
  ],
  ['one collection is private', texts('Bins are open. Complaints are private.'), ['complaints']],
  [
    'operations say so of one collection',
    texts('The keys come first. PATCH changes only the properties that are sent.', {
      readBin: 'A bin of another house is answered with 404.',
      readComplaint: 'Returns a complaint of the caller.',
    }),
    ['complaints'],
  ],
])('records may be those of somebody else: %s', (_, said, owned) => {
  expect(ownedCollections(contract, said)).toEqual(owned && new Set(owned))
})

test('the status for the records of others is read where the records of another parent have one, too', () => {
  const said = texts('Houses are shared by all accounts.', {
    removeBin: 'A bin of another house is answered with 404, a bin of another user with 403.',
    readBin: 'A bin of another house is answered with 404.',
  })
  const operation = (id: string): Contract['operations'][number] => {
    const found = contract.operations.find((one) => one.id === id)
    if (!found) throw new Error(`there is no ${id}`)
    return found
  }

  expect(ownRefusal(operation('removeBin'), contract, said)).toBe(403)
  expect(ownRefusal(operation('readBin'), contract, said)).toBeUndefined()
  expect(isShared(operation('removeBin'), contract, said)).toBe(false)
  expect(isShared(operation('readBin'), contract, said)).toBe(true)
  const list = texts('Only houses belong to an account. The complaint list is shared.')
  expect(isShared(operation('readComplaint'), contract, list)).toBe(true)
  expect(isShared(operation('readHouse'), contract, list)).toBe(false)
})

test.each([
  ['All keys work on the same records. A role decides what a key may do.', true],
  ['The data is shared by all users of the API.', true],
  ['Every token sees the same data.', true],
  ['A key has a role. **reader**: may read everything but the loans.', true],
  ['A key has a role. An admin may read everything, others only their own records.', false],
  ['A user may read all records of the own account.', false],
  ['All requests have the same limits.', false],
])('whether all callers have the same records: %s', (api, isCommon) => {
  expect(hasCommonRecords(texts(api))).toBe(isCommon)
})

test('what a role may do with records is for it, too, also where it may only change its own of some', () => {
  const said = texts(
    'Keys have roles. - **warden**: may read everything except the notes of houses, may create and remove bins, and may change only the complaints which a warden filed.',
  )
  const [house, bin, removal] = contract.operations
  const own = texts(
    'Keys have roles. An admin may read everything. A user sees only its own houses.',
  )

  expect(house && isShared(house, contract, said)).toBe(true)
  expect(bin && isShared(bin, contract, said)).toBe(true)
  expect(removal && isShared(removal, contract, said)).toBe(false)
  expect(house && isShared(house, contract, own)).toBe(false)
})

test('records that a role may read are for it, too, unless they are its own', () => {
  const said = texts('Roles: **clerk** may read bins and houses, and file complaints.')
  const [house, , , complaint] = contract.operations
  const own = texts('Roles: **clerk** may read its own houses.')

  expect(house && isShared(house, contract, said)).toBe(true)
  expect(complaint && isShared(complaint, contract, said)).toBe(false)
  expect(house && isShared(house, contract, own)).toBe(false)
})
