import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { UsageError } from '../validation/usage-error.ts'

const FILE = new URL('../testing/places/documents/forced.yaml', import.meta.url)

let contract: Contract
let sandbox: Sandbox
beforeAll(async () => {
  contract = await loadContract(FILE.pathname)
  sandbox = createSandbox({ contract })
})

/** The reason and the help of the error for a rule. */
function refusalOf(rule: object): string {
  try {
    sandbox.force(rule)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  throw new Error('The rule is accepted')
}

const CONFLICT = { operation: 'createTag', status: 409 }

describe('a rule that is refused', () => {
  it.each<[rule: object, message: string]>([
    [
      { operation: 'createTags', status: 409 },
      'Cannot force a response 409 of createTags: unknown operation "createTags". Did you mean "createTag"?',
    ],
    [
      { operation: 'POST /tag', status: 409 },
      'Cannot force a response 409 of POST /tag: unknown operation "POST /tag". Did you mean "POST /tags"?',
    ],
    [
      { delivery: 'twise' },
      'Cannot force "twise": unknown delivery fault "twise". Did you mean "twice"?',
    ],
    [
      { delivery: 'twice', status: 500 },
      'Cannot force "twice": status must be left out, because the rule is for deliveries.',
    ],
    [
      { delivery: 'twice', latency: '1h' },
      'Cannot force "twice": latency must be left out, because the delivery fault "twice" has none.',
    ],
    [
      { outcome: 'slow', event: 'order.created' },
      'Cannot force "slow": event must be left out, because only a rule with a delivery fault is for events.',
    ],
    [
      { path: '/tag', status: 409 },
      'Cannot force a response 409: no operation has the path "/tag". Did you mean "/tags"?',
    ],
    [
      { tag: 'tags', status: 409 },
      'Cannot force a response 409: unknown tag "tags". Did you mean "Tags"?',
    ],
    [
      { status: 99 },
      'Cannot force a response 99: status must be an integer from 200 to 599 (got 99).',
    ],
    [
      { operation: 'createTag', example: 'taker' },
      'Cannot force an answer of createTag: unknown example "taker". Did you mean "taken"?',
    ],
    [
      { operation: 'createTag', status: 201, example: 'taken' },
      'Cannot force a response 201 of createTag: unknown example "taken". Known: blue.',
    ],
    [
      { operation: 'getTag', example: 'taken' },
      'Cannot force an answer of getTag: unknown example "taken". There are none.',
    ],
    [
      { ...CONFLICT, time: 1 },
      'Cannot force a response 409 of createTag: unknown field "time". Did you mean "times"?',
    ],
    [
      { operation: 'createTag' },
      'Cannot force an answer of createTag: the rule does not say what is forced. Give an outcome, a status, an example, a body, fields, headers, a latency, a fault or a series.',
    ],
    [
      { outcome: 'banned', status: 429 },
      'Cannot force "banned": status must be left out, because the outcome "banned" has a status.',
    ],
    [
      { outcome: 'reset', body: {} },
      'Cannot force "reset": body must be left out, because the outcome "reset" has no response.',
    ],
    [
      { outcome: 'banned', fields: { a: 'x' } },
      'Cannot force "banned": fields must be left out, because the outcome "banned" is not about the input.',
    ],
    [
      { outcome: 'truncated', fault: 'reset' },
      'Cannot force "truncated": fault must be left out, because the outcome "truncated" is one.',
    ],
    [
      { ...CONFLICT, fields: { a: 'x' }, example: 'taken' },
      'Cannot force a response 409 of createTag: fields must be left out, because the example says what is wrong.',
    ],
    [
      { status: 200, fields: { a: 'x' } },
      'Cannot force a response 200: fields must be left out, because a response 200 is no error.',
    ],
    [
      { status: 204, body: {} },
      'Cannot force a response 204: body must be left out, because a response 204 has no body.',
    ],
    [
      { status: 409, retryAfter: 1 },
      'Cannot force a response 409: retryAfter must be left out, because this answer sends no Retry-After.',
    ],
    [
      { status: 409, fields: {} },
      'Cannot force a response 409: fields must be an object with at least one member (got object).',
    ],
    [
      { status: 409, fields: { label: '' } },
      'Cannot force a response 409: fields.label must be a text that is not empty (got "").',
    ],
    [
      { status: 409, body: () => 1 },
      'Cannot force a response 409: body must be JSON data (got function).',
    ],
    [
      { status: 409, headers: { 'a b': 'x' } },
      'Cannot force a response 409: the header "a b" is not the name of a header (headers.a b). Leave it out.',
    ],
    [
      { status: 409, headers: { a: 'x\ny' } },
      'Cannot force a response 409: headers.a must be a text that a header can have (got "x\\ny").',
    ],
    [{ fault: 'empt' }, 'Cannot force an answer: unknown fault "empt". Did you mean "empty"?'],
    [
      { where: { querry: {} }, status: 409 },
      'Cannot force a response 409: unknown field "where.querry". Did you mean "query"?',
    ],
    [
      { where: { query: { a: [1] } }, status: 409 },
      'Cannot force a response 409: where.query.a must be a string, a number or a boolean (got array).',
    ],
    [
      { series: [] },
      'Cannot force an answer: series must be an array with at least one answer (got array).',
    ],
    [
      { series: [503, 'nxt'] },
      'Cannot force an answer: unknown answer "nxt" in series[1]. Did you mean "next"?',
    ],
    [
      { series: [503, 99] },
      'Cannot force an answer: series[1] must be an integer from 200 to 599 (got 99).',
    ],
    [
      { series: [{ times: 1 }] },
      'Cannot force an answer: unknown field "series[0].times". Known: outcome, status, example, body, fields, headers, retryAfter, latency, fault.',
    ],
    [
      { series: [{}] },
      'Cannot force an answer: series[0] does not say what is forced. Give an outcome, a status, an example, a body, fields, headers, a latency, a fault or a series.',
    ],
    [
      { operation: 'createTag', series: [{ example: 'fulll' }] },
      'Cannot force an answer of createTag: unknown example "fulll" in series[0].example. Did you mean "full"?',
    ],
    [
      { series: [503], status: 409 },
      'Cannot force a response 409: status must be left out, because each answer of the series has its own.',
    ],
    [
      { series: [503], probability: 0.5 },
      'Cannot force an answer: probability must be left out, because a series answers each matching request.',
    ],
    [
      { status: 409, from: 'start' },
      'Cannot force a response 409: from must be left out, because it is a state of a flow, and there is no flow.',
    ],
    [
      { status: 409, flow: 'a' },
      'Cannot force a response 409: flow must be left out, because there is no state from or to which it leads.',
    ],
  ])('%o', (rule, message) => {
    expect(refusalOf(rule)).toBe(message)
    expect(sandbox.forced()).toEqual([])
  })

  it.each([
    'Date',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'Access-Control-Allow-Origin',
    'X-RateLimit-Remaining',
  ])('names the header %s, which the sandbox itself writes', (name) => {
    expect(refusalOf({ status: 409, headers: { [name]: 'x' } })).toBe(
      `Cannot force a response 409: the header "${name}" is written by the sandbox itself (headers.${name}). Leave it out.`,
    )
  })
})

describe('a rule that is accepted', () => {
  it('has the id of its operation, which may be named by method and path', () => {
    const named = { operation: 'GET /tags/{id}', status: 404 } as const

    expect(createSandbox({ contract }).force(named)).toMatchObject({ operation: 'getTag' })
  })

  it('is a copy of what was given', () => {
    const own = createSandbox({ contract })
    const body = { message: 'first' }
    own.force({ operation: 'createTag', status: 409, body })

    body.message = 'second'

    expect(own.forced()).toMatchObject([{ body: { message: 'first' } }])
  })

  it('can have the answer and the conditions in two objects', () => {
    const forced = createSandbox({ contract }).force({ status: 409 }, { times: 2 })

    expect(forced).toEqual({ id: 1, status: 409, times: 2, matched: 0, forced: 0 })
  })

  it('has the state that its flow has already', async () => {
    const own = createSandbox({ contract })
    own.force({ operation: 'listTags', flow: 'a', from: 'start', to: 'listed' })
    await own.fetch(new Request('http://localhost/api/tags'))

    expect(own.force({ flow: 'a', from: 'listed', status: 500 })).toMatchObject({ state: 'listed' })
  })
})

describe('warnings', () => {
  it.each<[rule: object, warnings: readonly string[] | undefined]>([
    [{ ...CONFLICT }, undefined],
    [{ status: 418 }, undefined],
    [{ operation: 'createTag', status: 418 }, ['The document has no response 418 for createTag.']],
    [{ operation: 'removeTag', status: 418 }, undefined],
    [{ ...CONFLICT, body: { message: 'mine' } }, undefined],
    [
      { ...CONFLICT, body: { message: 7 } },
      ['The body does not fit the response 409 of createTag: body.message must be string.'],
    ],
    [
      { ...CONFLICT, body: 'text' },
      ['The body does not fit the response 409 of createTag: body must be object.'],
    ],
    [{ ...CONFLICT, body: '<p>', headers: { 'Content-Type': 'text/html' } }, undefined],
    [
      { operation: 'listTags', body: [{ id: 'x' }] },
      [
        'The body does not fit the response 200 of listTags: body[0].label is required; body[0].id must be integer.',
      ],
    ],
    [
      { operation: 'getTag', series: [404, 500, { status: 500 }, 'next'] },
      ['The document has no response 500 for getTag.'],
    ],
    [{ operation: 'createTag', fields: { label: 'is taken' } }, undefined],
    [
      { operation: 'createTag', fields: { lable: 'is taken', 'query.page': 'is too large' } },
      ['The request of createTag has no body.lable (did you mean "label"?).'],
    ],
    [
      { ...CONFLICT, where: { body: { lable: 'bug' } } },
      ['The request of createTag has no body.lable (did you mean "label"?).'],
    ],
    [{ ...CONFLICT, where: { body: { label: 'bug' }, query: { page: '2' } } }, undefined],
    [{ status: 409, key: 'mine' }, ['The document has no credentials, so no request has a key.']],
    [{ delivery: 'twice', subscription: 'hooks/1' }, ['No subscription is at hooks/1.']],
  ])('of %o are %o', (rule, warnings) => {
    const own = createSandbox({ contract })

    expect(own.force(rule).warnings).toEqual(warnings)
    expect(own.forced()[0]?.warnings).toEqual(warnings)
  })
})
