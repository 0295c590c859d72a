import { expect, test } from 'vitest'
import { preferredExample } from '../../responses/documented-answer.ts'
import type { FormDetails, SampleRequest } from './operation.ts'
import { bodyOf, inMediaType, readBody, sendable, textOf } from './request-body.ts'
import {
  credentialText,
  emptyPathNames,
  inputOf,
  preferChoices,
  takeCredentials,
  toForm,
  toRequest,
} from './request-form.ts'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const PET = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    photo: { type: 'string', format: 'binary' },
  },
} as const

const DETAILS: FormDetails = {
  method: 'POST',
  path: '/orgs/{org}/repos.{format}',
  parameters: [
    { name: 'org', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'format', in: 'path', required: true, schema: { enum: ['json', 'xml'] } },
    { name: 'tag', in: 'query', required: false, schema: { type: 'array' } },
    { name: 'ids', in: 'query', required: false, schema: { type: 'array' }, explode: false },
    {
      name: 'filter',
      in: 'query',
      required: false,
      schema: { type: 'object' },
      style: 'deepObject',
    },
    { name: 'X-Trace', in: 'header', required: false, schema: { type: 'string' } },
  ],
  body: {
    required: true,
    contentTypes: [JSON_TYPE, FORM_TYPE, 'multipart/form-data', 'text/csv', 'image/*'],
    schema: PET,
  },
}

const SAMPLE: SampleRequest = {
  method: 'POST',
  path: '/worlds/one/v1/orgs/a%2Fb/repos.json',
  query: [
    ['tag', 'x'],
    ['tag', 'y z'],
    ['ids', '1,2'],
    ['filter[name][in]', 'n'],
    ['api_key', 'secret'],
  ],
  headers: [['Authorization', 'Bearer secret']],
  body: '{"name":"a","tags":["b","c"]}',
  contentType: JSON_TYPE,
}

const SITE = 'http://localhost:1'

async function openForm(given: SampleRequest = SAMPLE) {
  const { sample, credentials } = takeCredentials(given, 'secret')
  const options = bodyOf(DETAILS)
  const body = options && (await readBody(sample, options))
  if (!(options && body)) throw new TypeError('The operation has a body')

  return { options, body, credentials, form: toForm(DETAILS, sample, 'secret', body) }
}

test('the form of a sample is its request, with the values as the document writes them', async () => {
  const { form, ...context } = await openForm()

  const request = toRequest(DETAILS, form, { site: SITE, ...context })

  expect(request).toEqual({
    url: `${SITE}/worlds/one/v1/orgs/a%2Fb/repos.json?tag=x&tag=y%20z&ids=1,2&filter[name][in]=n&api_key=secret`,
    method: 'POST',
    headers: [
      ['Authorization', 'Bearer secret'],
      ['Content-Type', JSON_TYPE],
    ],
    body: JSON.stringify({ name: 'a', tags: ['b', 'c'] }, null, 2),
  })
})

test('parameters can be changed, optional ones without a value are not sent, and empty path parameters are known', async () => {
  const { form, ...context } = await openForm()
  const values: Readonly<Record<string, unknown>> = { org: 'ä', 'X-Trace': '1', format: '' }
  const changed = form.parameters.map((one) => {
    return { ...one, value: one.in === 'query' ? undefined : values[one.name] }
  })

  const next = { ...form, parameters: changed, key: '', prefer: 'code=404' }
  const request = toRequest(DETAILS, next, { site: SITE, ...context })

  expect(request.url).toBe(`${SITE}/worlds/one/v1/orgs/%C3%A4/repos.`)
  expect(request.headers).toEqual([
    ['X-Trace', '1'],
    ['Content-Type', JSON_TYPE],
    ['Prefer', 'code=404'],
  ])
  expect(emptyPathNames(next)).toEqual(['format'])
  expect(emptyPathNames(form)).toEqual([])
})

test('the path of a document that needs percent-encoding is sent and checked as requests spell it', async () => {
  const details = { ...DETAILS, path: '/größe & maß/{org}' }
  const { form, ...context } = await openForm()
  const sample = { ...SAMPLE, path: '/v1/gr%C3%B6%C3%9Fe%20&%20ma%C3%9F/a%2Fb' }

  const given = toForm(details, sample, '', form.body)

  expect(emptyPathNames(given)).toEqual(['format'])
  expect(inputOf(details, given).path).toBe('/gr%C3%B6%C3%9Fe%20&%20ma%C3%9F/a%2Fb')
  expect(toRequest(details, given, { site: SITE, ...context }).url).toContain(
    `${SITE}/v1/gr%C3%B6%C3%9Fe%20&%20ma%C3%9F/a%2Fb?`,
  )
})

test('parameters that OpenAPI ignores are not in the form: the body and the key decide these headers', async () => {
  const ignored = ['Accept', 'content-type', 'Authorization'].map((name) => {
    return { name, in: 'header', required: true, schema: { type: 'string' } } as const
  })
  const details = { ...DETAILS, parameters: [...DETAILS.parameters, ...ignored] }
  const { form, ...context } = await openForm()
  const given = toForm(details, { ...SAMPLE, headers: [] }, 'secret', form.body)

  const request = toRequest(details, given, { site: SITE, ...context })

  expect(given.parameters.filter((one) => one.in === 'header')).toMatchObject([{ name: 'X-Trace' }])
  expect(request.headers).toEqual([
    ['Authorization', 'Bearer secret'],
    ['Content-Type', JSON_TYPE],
  ])
})

test('another media type keeps the value of the body', async () => {
  const { body, options } = await openForm()
  const typed = { ...body, text: '{"name":"é","age":3,"tags":["b","c"]}' }

  const asForm = inMediaType(typed, FORM_TYPE, options)
  const edited = { ...asForm, text: 'name=n&age=4&tags=b' }
  const asParts = inMediaType(edited, 'multipart/form-data', options)
  const asJson = inMediaType(asParts, JSON_TYPE, options)

  expect(textOf(asForm, options)).toBe('name=%C3%A9&age=3&tags=b&tags=c')
  expect(sendable(asParts, options)).toEqual({
    type: expect.stringMatching(/^multipart\/form-data; boundary=/),
    parts: [
      { name: 'name', text: 'n' },
      { name: 'age', text: '4' },
      { name: 'tags', text: 'b' },
    ],
  })
  expect(JSON.parse(textOf(asJson, options))).toEqual({ name: 'n', age: 4, tags: ['b'] })
})

test('a text that means no value is kept in another media type', async () => {
  const { body, options } = await openForm()
  const next = inMediaType({ ...body, text: '{"name":' }, 'text/csv', options)

  expect(sendable(next, options)).toEqual({ type: 'text/csv', text: '{"name":' })
})

test('files are sent as parts, and as the whole body', async () => {
  const photo = new File(['abc'], 'a "b".png', { type: 'image/png' })
  const { body, options } = await openForm({
    ...SAMPLE,
    body: '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n',
    contentType: 'multipart/form-data; boundary=b',
  })
  const whole = inMediaType({ ...body, file: photo }, 'image/*', options)

  expect(body.value).toEqual({ name: 'x' })
  expect(sendable({ ...body, value: { photo } }, options)?.parts).toEqual([
    { name: 'photo', file: photo },
  ])
  expect(sendable(whole, options)).toEqual({ type: 'image/png', file: photo })
})

test('parameters in the path of the document are in the query of the sample', () => {
  const details = { method: 'GET', path: '/run?action=stop', parameters: [] }
  const sample: SampleRequest = {
    method: 'GET',
    path: '/v1/run',
    query: [['action', 'stop']],
    headers: [],
  }

  const request = toRequest(details, toForm(details, sample, ''), { site: SITE, credentials: [] })

  expect(request.url).toBe(`${SITE}/v1/run?action=stop`)
})

test.each([
  ['Bearer secret', 'Bearer other'],
  [`Basic ${btoa('secret:')}`, `Basic ${btoa('other:')}`],
  ['secret', 'other'],
])('the key of %s can be replaced', (text, expected) => {
  expect(credentialText({ in: 'header', name: 'A', text, key: 'secret' }, 'other')).toBe(expected)
})

test('a request can prefer each documented status, and each example of it by its name', () => {
  const responses = [
    { status: 200, examples: ['cat', 'a "dog"', 'Käfer'] },
    { status: 404, examples: [] },
  ]

  const values = preferChoices({ responses }).map(({ value }) => value)

  expect(values.slice(0, 5)).toEqual([
    '',
    'code=200',
    'code=200, example="cat"',
    'code=200, example="a \\"dog\\""',
    'code=404',
  ])
  expect(values.slice(2, 4).map(preferredExample)).toEqual(['cat', 'a "dog"'])
})
