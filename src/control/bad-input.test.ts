import { describe, expect, test } from 'vitest'
import { MEBIBYTE } from '../http/body-limits.ts'
import { openControl } from '../testing/control.ts'

type InvalidRequest = readonly [
  method: string,
  path: string,
  body: unknown,
  message: string | RegExp,
]

/** Invalid values of each field and parameter. */
const INVALID: readonly InvalidRequest[] = [
  ['POST', '/clock', undefined, 'body is required'],
  ['POST', '/clock', {}, /^body must have one of set, advance, freeze, .*advanceToRemoval$/],
  ['POST', '/clock', [], 'body must be object'],
  ['POST', '/clock', null, 'body must be object'],
  ['POST', '/clock', { freeze: true, advance: 1 }, /^body must have only one of set, advance, /],
  [
    'POST',
    '/clock',
    { advnace: '1s' },
    'body.advnace is not a known property (did you mean "advance"?)',
  ],
  ['POST', '/clock', { x: 1 }, /^body\.x is not a known property \(known: set, advance, .*\)$/],
  ['POST', '/clock', { set: 5 }, 'body.set must be string'],
  [
    'POST',
    '/clock',
    { set: 'soon' },
    /Cannot set the clock to "soon": it is not a date, or a time with its time zone \(body\.set\)\. Write it as 2030-12-05T00:00:00Z\./,
  ],
  ['POST', '/clock', { set: '2030-13-45T00:00:00Z' }, 'body.set'],
  ['POST', '/clock', { set: '12030-01-01T00:00:00Z' }, 'body.set'],
  [
    'POST',
    '/clock',
    { advance: 'later' },
    /Cannot read the duration "later": it is not a duration \(body\.advance\)\. Write 61s, 5m, 1h30m, PT61S or milliseconds\./,
  ],
  ['POST', '/clock', { advance: 1.5 }, 'body.advance must be string or integer'],
  ['POST', '/clock', { advance: null }, 'body.advance must be string or integer'],
  ['POST', '/clock', { advance: 9e15 }, 'body.advance'],
  ['POST', '/clock', { freeze: false }, 'body.freeze must be true'],
  ['POST', '/clock', { resume: 'yes' }, 'body.resume must be true'],
  ['POST', '/clock', { advanceToReset: 1 }, 'body.advanceToReset must be string'],
  [
    'POST',
    '/clock',
    { advanceToReset: 'nobody' },
    /Cannot find the API key: unknown API key "nobody" \(body\.advanceToReset\)/,
  ],
  ['POST', '/clock', { advanceToBanEnd: [] }, 'body.advanceToBanEnd must be string'],
  [
    'POST',
    '/clock',
    { advanceToBanEnd: 'sk_sandbox_free' },
    /Cannot move the clock to the end of the ban of "sk_sandbox_free": this API key is not banned \(body\.advanceToBanEnd\)\. A key is banned after repeated requests that do not wait for Retry-After\./,
  ],
  ['POST', '/clock', { advanceToRemoval: {} }, 'body.advanceToRemoval must be string'],
  [
    'POST',
    '/clock',
    { advanceToRemoval: 'listPets' },
    /Cannot move the clock to the removal of "listPets": no operation of this name has a Sunset date \(body\.advanceToRemoval\)\. Known: getPet\./,
  ],

  ['POST', '/outcomes', undefined, 'body is required'],
  ['POST', '/outcomes', {}, 'the rule does not say what is forced'],
  [
    'POST',
    '/outcomes',
    { outcome: 'bannd' },
    /^body\.outcome must be one of unauthorized.* \(did you mean "banned"\?\)$/,
  ],
  [
    'POST',
    '/outcomes',
    { outcome: 'banned', tmes: 1 },
    'body.tmes is not a known property (did you mean "times"?)',
  ],
  [
    'POST',
    '/outcomes',
    { outcome: 'banned', where: { qury: { a: '1' } } },
    'body.where.qury is not a known property (did you mean "query"?)',
  ],
  ['POST', '/outcomes', { series: ['banned', 'nxt'] }, /\(did you mean "next"\?\)/],
  ['POST', '/outcomes', { outcome: 'banned', operation: 7 }, 'body.operation must be string'],
  ['POST', '/outcomes', { outcome: 'banned', operation: 'listDogs' }, /operation "listDogs"/],
  ['POST', '/outcomes', { outcome: 'banned', method: 'FETCH' }, /method "FETCH"/],
  ['POST', '/outcomes', { outcome: 'banned', method: null }, 'body.method must be string'],
  [
    'POST',
    '/outcomes',
    { outcome: 'banned', path: 'pets' },
    /Cannot force "banned": path must be a path as \/books\/\* \(got "pets"\)\./,
  ],
  ['POST', '/outcomes', { outcome: 'banned', path: 1 }, 'body.path must be string'],
  ['POST', '/outcomes', { outcome: 'banned', key: 'nobody' }, /key "nobody"/],
  ['POST', '/outcomes', { outcome: 'banned', key: true }, 'body.key must be string'],
  ['POST', '/outcomes', { outcome: 'banned', times: 0 }, 'body.times must be >= 1'],
  ['POST', '/outcomes', { outcome: 'banned', times: '2' }, 'body.times must be integer'],
  ['POST', '/outcomes', { outcome: 'banned', skip: -1 }, 'body.skip must be >= 0'],
  ['POST', '/outcomes', { outcome: 'banned', skip: 0.5 }, 'body.skip must be integer'],
  ['POST', '/outcomes', { outcome: 'banned', probability: 0 }, 'body.probability must be > 0'],
  ['POST', '/outcomes', { outcome: 'banned', probability: 1.1 }, 'body.probability must be <= 1'],
  ['POST', '/outcomes', { outcome: 'banned', retryAfter: 0 }, 'body.retryAfter must be >= 1'],
  [
    'POST',
    '/outcomes',
    { outcome: 'slow', latency: 'long' },
    /Cannot read the duration "long": it is not a duration \(body\.latency\)\. Write 61s, 5m, 1h30m, PT61S or milliseconds\./,
  ],
  [
    'POST',
    '/outcomes',
    { outcome: 'slow', latency: 1.5 },
    'body.latency must be string or integer',
  ],

  ['POST', '/reset', { all: true }, 'body.all is not a known property'],
  ['POST', '/reset', [], 'body must be object'],

  ['GET', '/records/pets?limit=0', undefined, 'query.limit must be >= 1'],
  ['GET', '/records/pets?limit=many', undefined, 'query.limit must be integer'],
  [
    'GET',
    '/records/pets?state=sold',
    undefined,
    'query.state is not a property of these records (did you mean "status"?)',
  ],
  ['GET', '/records/pets?status=lost', undefined, 'query.status must be one of available'],
  ['GET', '/records/pets?categoryId=one', undefined, 'query.categoryId must be integer'],
  ['POST', '/records/pets', undefined, 'body is required'],
  ['POST', '/records/pets', [], 'body must be object'],
  ['POST', '/records/pets', { name: 'Rex' }, /categoryId is required/],
  ['POST', '/records/pets', { name: 'Rex', categoryId: 'one' }, /categoryId must be integer/],
  [
    'POST',
    '/records/pets',
    { name: 'Rex', categoryId: 1, status: 'lost' },
    /status must be one of/,
  ],
  ['POST', '/records/pets', { name: 'Rex', categoryId: 1, id: 1 }, /id/],
  ['PATCH', '/records/pets/1', { status: 'lost' }, /status must be one of/],
  ['PATCH', '/records/pets/1', { name: null }, /name must be string/],

  ['PUT', '/plans/free', undefined, 'body is required'],
  ['PUT', '/plans/free', {}, 'body must have one of minute, day'],
  ['PUT', '/plans/free', { minute: 0 }, 'body.minute must be >= 1'],
  ['PUT', '/plans/free', { day: '9' }, 'body.day must be integer'],
  ['PUT', '/plans/free', { hour: 9 }, 'body.hour is not a known property'],
  ['PUT', '/plans/free', { minut: 9 }, /\(did you mean "minute"\?\)/],
  [
    'PUT',
    '/plans/gold',
    { minute: 9 },
    /Cannot add the plan "gold": a new plan needs both minute and day\. Known: free, pro, business, enterprise\./,
  ],
  ['PUT', '/plans/fre', { day: 9 }, /^Cannot add the plan "fre": .*Did you mean "free"\?/],
  ['PUT', '/keys/mine', {}, 'body must have one of plan, user'],
  ['PUT', '/keys/mine', { user: true }, 'body.user must be string or number'],
  ['PUT', '/keys/mine', { plan: 1 }, 'body.plan must be string'],
  [
    'PUT',
    '/keys/mine',
    { plan: 'gold' },
    /Cannot assign the API key mine to a plan: unknown plan "gold" \(body\.plan\)\. Known: free, pro, business, enterprise\./,
  ],
  ['PUT', '/keys/mine', { plan: 'pro', always: 'banned' }, 'body.always is not a known property'],
  [
    'PUT',
    '/keys/two%20words',
    { plan: 'pro' },
    /Cannot add the API key "two words": a bearer token consists of letters, digits and -\._~\+\/ only \(RFC 6750, section 2\.1\) \(path\.key\)\. Choose another key\./,
  ],

  ['POST', '/worlds', {}, 'body.name is required'],
  ['POST', '/worlds', { name: 1 }, 'body.name must be string'],
  ['POST', '/worlds', { name: '..' }, '".." as the name of a world'],
  ['POST', '/worlds', { name: 'x', from: 'nowhere' }, '"nowhere"'],
  ['POST', '/worlds', { name: 'x', from: 1 }, 'body.from must be string'],
  ['POST', '/worlds', { name: 'default', from: 'default' }, '"default"'],
  ['POST', '/worlds', { name: 'x', form: 'default' }, 'body.form is not a known property'],
  ['DELETE', '/worlds/default', undefined, '"default"'],
  ['GET', '/worlds/a%zz/clock', undefined, '"a%zz" as the name of a world'],

  [
    'GET',
    '/journal?opration=listPets',
    undefined,
    'query.opration is not a parameter of findExchanges (did you mean "operation"?)',
  ],
  [
    'GET',
    '/journal?status=teapot',
    undefined,
    'query.status must be a status such as 404, a class such as 4xx, or 0 for exchanges without a response',
  ],
  ['GET', '/journal?status=9xx', undefined, 'query.status must be a status'],
  ['GET', '/journal?since=soon', undefined, '"soon"'],
  ['GET', '/journal?until=later', undefined, '"later"'],
  ['GET', '/journal?after=-1', undefined, 'query.after must be >= 0'],
  ['GET', '/journal?limit=0', undefined, 'query.limit must be >= 1'],
  ['GET', '/journal?limit=1&limit=2', undefined, 'query.limit must be given once'],
  ['GET', '/journal?key=', undefined, 'query.key must not be empty'],
  ['GET', '/journal/wait?timeout=60001', undefined, 'query.timeout must be <= 60000'],
  [
    'GET',
    '/journal/wait?limit=1',
    undefined,
    'query.limit is not a parameter of waitForExchange (known: operation, status, key, since, until, after, timeout)',
  ],
  ['GET', '/clock?at=noon', undefined, 'query.at is not a parameter of getClock'],

  ['PUT', '/snapshot', undefined, 'body is required'],
  ['PUT', '/snapshot', [], 'body must be object'],
  [
    'PUT',
    '/snapshot',
    { name: 'shop', version: '1.0.0' },
    'Cannot restore the snapshot: it is not a snapshot of a sandbox. Make one with: pet-sandbox ctl snapshot FILE, or with sandbox.snapshot().',
  ],
  ['PUT', '/snapshot', {}, 'it is not a snapshot of a sandbox'],
  [
    'PUT',
    '/snapshot',
    { version: 2, contract: {}, state: {} },
    'its version is 2, but this release reads version 1',
  ],
  ['PUT', '/snapshot', { version: 1, contract: {}, state: {} }, 'contract.title is required'],
]

describe('an invalid value gets a 400 that names it, and changes nothing:', () => {
  test.each(INVALID)('%s %s %j', async (method, path, body, message) => {
    const { callControl } = openControl()
    const before = await callControl('GET', '/snapshot')

    const refused = await callControl(method, path, body === undefined ? {} : { body })

    expect(refused.status).toBe(400)
    expect(refused.body.message).toMatch(message)
    expect((await callControl('GET', '/snapshot')).body).toEqual(before.body)
  })

  test('the header Last-Event-ID', async () => {
    const { callControl } = openControl()

    const { status, body } = await callControl('GET', '/journal/events', {
      headers: { 'Last-Event-ID': 'latest' },
    })

    expect(status).toBe(400)
    expect(body.message).toContain('header.Last-Event-ID')
  })
})

describe('an unknown name in the path gets a 404, and changes nothing:', () => {
  test.each([
    ['DELETE', '/outcomes/7', undefined],
    ['DELETE', '/outcomes/one', undefined],
    ['POST', '/scenarios/nothing', undefined],
    ['GET', '/records/dogs', undefined],
    ['POST', '/records/dogs', { name: 'Rex' }],
    ['GET', '/records/pets/999', undefined],
    ['GET', '/records/pets/one', undefined],
    ['PATCH', '/records/pets/999', { status: 'sold' }],
    ['DELETE', '/records/pets/999', undefined],
    ['DELETE', '/keys/nobody', undefined],
    ['DELETE', '/worlds/nowhere', undefined],
  ])('%s %s', async (method, path, body) => {
    const { callControl } = openControl()
    const before = await callControl('GET', '/snapshot')

    const { status, body: error } = await callControl(method, path, body && { body })

    expect(status).toBe(404)
    expect(error.code).toBe('not_found')
    expect((await callControl('GET', '/snapshot')).body).toEqual(before.body)
  })
})

describe('a request body', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/json',
  ])('of the type %s is refused, also where no body is required', async (type) => {
    const { callControl } = openControl()
    const headers = { 'Content-Type': type }

    const moved = await callControl('POST', '/clock', { raw: '{"advance":"1s"}', headers })
    const reset = await callControl('POST', '/reset', { raw: '', headers })
    const played = await callControl('POST', '/scenarios/any', { raw: '{}', headers })

    expect([moved.status, reset.status, played.status]).toEqual([415, 415, 415])
  })

  test.each(['{', '{"advance":"1s"}}', 'advance', '\ufeff'])(
    'that is not JSON is refused: %j',
    async (raw) => {
      const { callControl } = openControl()

      const { status, body } = await callControl('POST', '/clock', { raw })

      expect(status).toBe(400)
      expect(body.message).toContain('body must be')
    },
  )

  test('of more than 1 MiB is refused', async () => {
    const { callControl } = openControl()
    const recordOf = (length: number): string =>
      `{"name":"${'x'.repeat(length - 26)}","categoryId":1}`

    const fits = await callControl('POST', '/records/pets', { raw: recordOf(MEBIBYTE) })
    const exceeds = await callControl('POST', '/records/pets', {
      raw: recordOf(MEBIBYTE + 1),
    })

    expect(fits.status).toBe(201)
    expect(exceeds.status).toBe(413)
    expect(exceeds.body.message).toBe('The body is larger than 1048576 bytes.')
  })

  test('with a snapshot can be larger than 1 MiB', async () => {
    const { callControl } = openControl()
    const name = 'x'.repeat(MEBIBYTE - 100)
    for (const id of [1, 2]) await callControl('PATCH', `/records/pets/${id}`, { body: { name } })
    const { body } = await callControl('GET', '/snapshot')
    await callControl('POST', '/reset')

    const { status } = await callControl('PUT', '/snapshot', { body })

    expect(status).toBe(204)
    expect((await callControl('GET', '/records/pets/2')).body.name).toBe(name)
  })
})
