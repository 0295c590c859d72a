import type { Pet } from '../responses.ts'
import {
  acceptClientId,
  acceptInvalidBody,
  isCreated,
  isListed,
  roundLargeInteger,
  withBody,
} from './defects.ts'
import type { Mutant } from './mutant.ts'
import {
  changeRequest,
  changeResponse,
  changeStatus,
  isCreate,
  isRead,
  withHeaders,
  withJson,
  withStatus,
} from './mutation.ts'

/** Defects of creating a record. */
export const CREATION_MUTANTS: readonly Mutant[] = [
  [
    'a creation is returned with a 200',
    'createPet/required',
    changeResponse(isCreated, (one) => withStatus(one, 200)),
  ],
  [
    'an existing id is assigned',
    'createPet/required/id',
    changeResponse(isCreated, (one) => withJson(one, (row) => ({ ...row, id: 1 }))),
  ],
  [
    'the same id is assigned twice',
    'createPet/full/id',
    changeResponse(isCreated, (one) => withJson(one, (row) => ({ ...row, id: 77 }))),
  ],
  [
    'no id is assigned',
    'createPet/201/body',
    changeResponse(isCreated, (one) => withJson(one, ({ id: _, ...row }) => row)),
  ],
  [
    'a name is changed',
    'createPet/required/values',
    changeResponse(isCreated, (one) =>
      withJson(one, (row: Pet) => ({ ...row, name: row.name.toUpperCase() })),
    ),
  ],
  [
    'a name loses its accents',
    'createPet/full/values',
    changeResponse(isCreated, (one) =>
      withJson(one, (row: Pet) => ({ ...row, name: row.name.replace(/[^ -~]/g, '?') })),
    ),
  ],
  [
    'a status that was sent is lost',
    'createPet/status="sold"/values',
    changeResponse(isCreated, (one) => withJson(one, (row) => ({ ...row, status: 'available' }))),
  ],
  [
    'an omitted status gets no default',
    'createPet/default/status',
    changeResponse(isCreated, async (one, request) =>
      (await request.text()).includes('status')
        ? one
        : withJson(one, ({ status: _, ...row }) => row),
    ),
  ],
  [
    'a created record is not listed',
    'listPets/created',
    changeResponse(isListed, (one) =>
      withJson(one, (rows: Pet[]) => rows.filter(({ id }) => id <= 50)),
    ),
  ],
  [
    'a created record is not found',
    'getPet/created/required',
    changeResponse(
      (one) => isRead(one) && /\/pets\/5\d$/.test(one.url),
      (one) => withStatus(one, 404),
    ),
  ],
  [
    'Location is missing',
    'createPet/201/Location',
    changeResponse(isCreated, (one) => withHeaders(one, { Location: undefined })),
  ],
  [
    'a missing name is accepted',
    'createPet/a-missing-name',
    acceptInvalidBody((body) => !('name' in body)),
  ],
  [
    'a missing category is accepted',
    'createPet/a-missing-categoryId',
    acceptInvalidBody((body) => !('categoryId' in body)),
  ],
  [
    'an unknown status is accepted',
    'createPet/status="no-such-value"',
    acceptInvalidBody(({ status }) => status === 'no-such-value'),
  ],
  [
    'a number as name is accepted',
    'createPet/name=12',
    acceptInvalidBody(({ name }) => name === 12),
  ],
  [
    'null as name is accepted',
    'createPet/name=null',
    acceptInvalidBody(({ name }) => name === null),
  ],
  [
    'a string as category is accepted',
    'createPet/categoryId="abc"',
    acceptInvalidBody(({ categoryId }) => categoryId === 'abc'),
  ],
  [
    'a fraction as category is accepted',
    'createPet/categoryId=1.5',
    acceptInvalidBody(({ categoryId }) => categoryId === 1.5),
  ],
  ['an invalid body gets a 422', 'createPet/a-missing-name', changeStatus(400, 422)],
  ['half a JSON text gets a 500', 'createPet/half-a-JSON-text', changeStatus(400, 500, isCreate)],
  [
    'a valid status is rejected',
    'createPet/status="pending"',
    changeRequest(
      (_, body) => body.includes('pending'),
      (one, body) => withBody(one, body.replace('pending', 'pendant')),
    ),
  ],
  ['a 64-bit category is rounded', 'createPet/categoryId=9223372036854775807', roundLargeInteger()],
  ['a client can choose an id', 'createPet/chosen-id', acceptClientId()],
  ['plain text gets a 400', 'createPet/body/415', changeStatus(415, 400)],
  ['a large body gets a 500', 'createPet/body/413', changeStatus(413, 500)],
]
