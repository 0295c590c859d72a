import { describe, expect, test } from 'vitest'
import { createTexts } from '../document/document-texts.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { selectOperations } from './operation-selection.ts'
import { createTestPlan } from './test-plan.ts'

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answers = (status: number, schema: object, ...others: number[]): object => ({
  responses: {
    [status]: { description: 'Done.', ...json(schema) },
    ...Object.fromEntries(others.map((one) => [one, { description: 'No.', ...json({}) }])),
  },
})
const id = { type: 'string', format: 'uuid' }
const text = { type: 'string' }
const integer = { type: 'integer', minimum: 1, maximum: 20 }
const size = { type: 'string', enum: ['small', 'large'] }
const bornOn = { type: 'string', format: 'date' }
const time = { type: 'string', format: 'date-time' }
const sent = (properties: object): object => ({
  requestBody: { required: true, ...json({ type: 'object', properties }) },
})
const record = (properties: object): object => ({
  type: 'object',
  properties: { id, ...properties },
})
const inPath = (...names: readonly string[]): object => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true, schema: id })),
})
const isSpare = { type: 'boolean' }
const BOX = record({ name: text, size, isSpare, copies: integer, available: { type: 'integer' } })
const PARCEL = record({ size, code: text, status: { type: 'string', enum: ['new', 'stored'] } })
const LOAN = record({ boxId: id, copies: integer })
const SLOT = record({ name: text, boxId: id })
const VISIT = record({ place: text, startsAt: time, endsAt: time })

/** Boxes with slots, parcels that are put into boxes, loans and visits, described by a sentence for one operation. */
async function plannedFor(
  operation: string,
  sentence: string,
  flag = '',
): Promise<readonly string[]> {
  const described = (operationId: string): object => ({
    operationId,
    ...(operationId === operation && { description: sentence }),
  })
  const paths = {
    '/boxes': {
      get: {
        ...described('listBoxes'),
        parameters: [
          { name: 'usable', in: 'query', schema: { type: 'boolean' }, description: flag },
        ],
        ...answers(200, { type: 'array', items: BOX }),
      },
      post: {
        ...described('createBox'),
        ...sent({ name: text, size, isSpare, copies: integer }),
        ...answers(201, BOX, 409),
      },
    },
    '/boxes/{boxId}': {
      ...inPath('boxId'),
      get: { ...described('readBox'), ...answers(200, BOX, 404) },
      delete: { ...described('removeBox'), ...answers(204, {}, 404, 409) },
    },
    '/boxes/{boxId}/slots': {
      ...inPath('boxId'),
      get: { ...described('listSlots'), ...answers(200, { type: 'array', items: SLOT }) },
      post: {
        ...described('createSlot'),
        ...sent({ name: text }),
        ...answers(201, SLOT),
      },
    },
    '/slots/{slotId}': {
      ...inPath('slotId'),
      get: { ...described('readSlot'), ...answers(200, SLOT, 404) },
    },
    '/parcels': {
      post: { ...described('createParcel'), ...sent({ size, bornOn }), ...answers(201, PARCEL) },
    },
    '/parcels/{parcelId}': {
      ...inPath('parcelId'),
      get: { ...described('readParcel'), ...answers(200, PARCEL, 404) },
    },
    '/parcels/{parcelId}/store': {
      ...inPath('parcelId'),
      post: { ...described('storeParcel'), ...sent({ boxId: id }), ...answers(200, PARCEL, 409) },
    },
    '/parcels/{parcelId}/collect': {
      ...inPath('parcelId'),
      post: {
        ...described('collectParcel'),
        ...sent({ code: text }),
        ...answers(200, PARCEL, 409),
      },
    },
    '/loans': {
      get: { ...described('listLoans'), ...answers(200, { type: 'array', items: LOAN }) },
      post: {
        ...described('createLoan'),
        ...sent({ boxId: id, copies: integer }),
        ...answers(201, LOAN, 409),
      },
    },
    '/visits': {
      get: { ...described('listVisits'), ...answers(200, { type: 'array', items: VISIT }) },
      post: {
        ...described('createVisit'),
        ...sent({ place: text, startsAt: time, endsAt: time }),
        ...answers(201, VISIT, 409),
      },
    },
  }
  const contract = await loadDocumentOf(paths)
  const texts = createTexts({ paths })
  const { probes } = createTestPlan({ contract, texts }, selectOperations(contract, [], []))
  return probes.flatMap(({ checks }) => checks.map((one) => one.id))
}

describe('a check follows from each way to say it', () => {
  test.each([
    [
      'collectParcel',
      '409 if `code` is not the one of the parcel.',
      'collectParcel/stated/other-code',
    ],
    ['collectParcel', 'A wrong code is answered with 409.', 'collectParcel/stated/other-code'],
    [
      'collectParcel',
      'It is a conflict (409) unless the code matches.',
      'collectParcel/stated/other-code',
    ],
    ['storeParcel', '409 if the box is smaller than the parcel.', 'storeParcel/stated/fits/size'],
    ['storeParcel', 'A box that is too small is refused with 409.', 'storeParcel/stated/fits/size'],
    ['storeParcel', 'A parcel that does not fit is a conflict.', 'storeParcel/stated/fits/size'],
    ['createLoan', '409 if fewer copies are available.', 'createLoan/stated/copies>available'],
    [
      'createLoan',
      'Copies that exceed what is available are refused with 409.',
      'createLoan/stated/copies>available',
    ],
    [
      'createLoan',
      'Answers 409 if not enough are available.',
      'createLoan/stated/copies>available',
    ],
    ['createLoan', '`available` of the box falls by `copies`.', 'createLoan/told/available/copies'],
    ['createLoan', 'Reduces `available` by the copies.', 'createLoan/told/available/copies'],
    [
      'createLoan',
      'The copies are deducted: `available` goes down.',
      'createLoan/told/available/copies',
    ],
    ['createBox', 'A size has at most one spare (409).', 'createBox/stated/once/size+isSpare'],
    ['collectParcel', 'It is a parcel that is not new (409).', 'collectParcel/stated/status=new'],
    [
      'collectParcel',
      'A parcel that is not stored answers 409.',
      'collectParcel/stated/status=new',
    ],
    [
      'collectParcel',
      'Only a parcel that is `new` can be collected (409, code `wrong_state`).',
      'collectParcel/stated/status=stored',
    ],
    [
      'collectParcel',
      'Only while the parcel is `new` (409, code `wrong_state`).',
      'collectParcel/stated/status=stored',
    ],
    ['createParcel', 'Senders must be at least 14 years old.', 'createParcel/stated/bornOn/age'],
    ['createLoan', 'The box must exist, otherwise 422.', 'createLoan/stated/boxId'],
    ['removeBox', 'Removing a box removes its slots.', 'readSlot/below/removeBox'],
    ['removeBox', 'Its slots are deleted, too.', 'readSlot/below/removeBox'],
    ['removeBox', 'Removes the box with all slots.', 'readSlot/below/removeBox'],
    ['createVisit', '`endsAt` must be after `startsAt` (422).', 'createVisit/stated/endsAt/equal'],
    [
      'createVisit',
      'Answered with 422:\n\n* `endsAt` is not after `startsAt`;\n* there is no place.',
      'createVisit/stated/endsAt/equal',
    ],
    [
      'createVisit',
      '`endsAt` must be after `startsAt`, and a visit lasts at most 30 days (422).',
      'createVisit/stated/endsAt/longest',
    ],
    [
      'createVisit',
      'Visits at the same place must not overlap (409).',
      'createVisit/stated/once/place+startsAt+endsAt',
    ],
    [
      'createVisit',
      '409 if it clashes with another visit at that place.',
      'createVisit/stated/once/place+startsAt+endsAt',
    ],
    [
      'createVisit',
      'One place cannot have two visits at the same time (409).',
      'createVisit/stated/once/place+startsAt+endsAt',
    ],
  ])('%s: %s', async (operation, sentence, check) => {
    expect(await plannedFor(operation, sentence)).toContain(check)
  })

  test.each([
    ['With true, only boxes with at least one available copy.', true],
    ['Only boxes that are available.', true],
    ['Only boxes which have copies left.', true],
    ['Only boxes that are not available.', false],
  ])('a flag of a list: %s', async (flag, isPlanned) => {
    const planned = await plannedFor('createLoan', '`available` falls by `copies`.', flag)

    expect(planned.includes('listBoxes/usable=true/available')).toBe(isPlanned)
  })

  test.each([
    ['collectParcel', 'The code is shown once.', 'collectParcel/stated/other-code'],
    ['storeParcel', 'A parcel may go into a larger box.', 'storeParcel/stated/fits/size'],
    ['createLoan', 'A loan has fewer copies than a box.', 'createLoan/stated/copies>available'],
    ['createBox', 'A size has at most one lid (409).', 'createBox/stated/once/size'],
    [
      'collectParcel',
      'It is a parcel that is not new (409).',
      'collectParcel/stated/status=stored',
    ],
    [
      'collectParcel',
      'Only a parcel that is `new` can be collected (409, code `wrong_state`).',
      'collectParcel/stated/status=new',
    ],
    [
      'collectParcel',
      'Only while the parcel is `new` (409, code `wrong_state`).',
      'collectParcel/stated/other-code',
    ],
    [
      'collectParcel',
      '`stored` becomes `new`, and the box is no longer used.',
      'collectParcel/stated/status=stored',
    ],
    [
      'createSlot',
      'Its name cannot be changed to another name while the box has a parcel (409).',
      'createSlot/stated/once/name',
    ],
    [
      'createParcel',
      'Senders who are at least 60 years old pay half.',
      'createParcel/stated/bornOn/age',
    ],
    ['createLoan', '409 if a loan with this boxId exists.', 'createLoan/stated/boxId'],
    [
      'createVisit',
      '`endsAt` must not be before `startsAt` (422).',
      'createVisit/stated/endsAt/equal',
    ],
    ['createVisit', '422 if `endsAt` is before `startsAt`.', 'createVisit/stated/endsAt/equal'],
    [
      'createVisit',
      '`endsAt` must be after `startsAt`; the same day is allowed (422 otherwise).',
      'createVisit/stated/endsAt/equal',
    ],
    [
      'createVisit',
      '`endsAt` must be after `startsAt` (422). A visit of at most 7 days has a lower fee.',
      'createVisit/stated/endsAt/longest',
    ],
    ['removeBox', 'The slots are kept.', 'readSlot/below/removeBox'],
    [
      'removeBox',
      'A box is not removed while its slots are used (409).',
      'readSlot/below/removeBox',
    ],
  ])('no check follows: %s: %s', async (operation, sentence, check) => {
    expect(await plannedFor(operation, sentence)).not.toContain(check)
  })
})
