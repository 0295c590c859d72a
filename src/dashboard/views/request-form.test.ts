import { expect, test } from 'vitest'
import { preferredExample } from '../../responses/documented-answer.ts'
import {
  credentialText,
  preferChoices,
  type SampleRequest,
  takeCredentials,
  toForm,
  toRequest,
} from './request-form.ts'

const DETAILS = {
  method: 'POST',
  path: '/orgs/{org}/repos.{format}',
  parameters: [
    { name: 'org', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'format', in: 'path', required: true, schema: { enum: ['json', 'xml'] } },
    { name: 'tag', in: 'query', required: false, schema: { type: 'array' } },
    { name: 'filter', in: 'query', required: false, schema: { type: 'object' } },
    { name: 'X-Trace', in: 'header', required: false, schema: { type: 'string' } },
  ],
  body: { required: true, contentTypes: ['application/json'], schema: {} },
} as const

const SAMPLE: SampleRequest = {
  method: 'POST',
  path: '/worlds/one/v1/orgs/a%2Fb/repos.json',
  query: [
    ['tag', 'x'],
    ['tag', 'y z'],
    ['filter[name]', 'n'],
    ['api_key', 'secret'],
  ],
  headers: [['Authorization', 'Bearer secret']],
  body: '{"a":1}',
  contentType: 'application/json',
}

const SITE = 'http://localhost:1'

test('the form of a sample is its request', () => {
  const { sample, credentials } = takeCredentials(SAMPLE, 'secret')
  const form = toForm(DETAILS, sample, 'secret')

  const request = toRequest(DETAILS, form, { site: SITE, credentials })

  expect(request).toEqual({
    url: `${SITE}/worlds/one/v1/orgs/a%2Fb/repos.json?tag=x&tag=y%20z&filter%5Bname%5D=n&api_key=secret`,
    method: 'POST',
    headers: [
      ['Authorization', 'Bearer secret'],
      ['Content-Type', 'application/json'],
    ],
    body: '{\n  "a": 1\n}',
  })
})

test('parameters can be changed, and optional ones without a text are not sent', () => {
  const { sample, credentials } = takeCredentials(SAMPLE, 'secret')
  const form = toForm(DETAILS, sample, 'secret')
  const texts: Readonly<Record<string, string>> = { org: 'ä', tag: '', 'X-Trace': '1' }
  const parameters = form.parameters.map((one) => ({ ...one, text: texts[one.name] ?? one.text }))

  const request = toRequest(
    DETAILS,
    { ...form, parameters, key: '', prefer: 'code=404' },
    { site: SITE, credentials },
  )

  expect(request.url).toBe(`${SITE}/worlds/one/v1/orgs/%C3%A4/repos.json?filter%5Bname%5D=n`)
  expect(request.headers).toEqual([
    ['X-Trace', '1'],
    ['Content-Type', 'application/json'],
    ['Prefer', 'code=404'],
  ])
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

test('an edited multipart body has the line breaks that its parts need', () => {
  const sample = { ...SAMPLE, contentType: 'multipart/form-data; boundary=b' }
  const form = { ...toForm(DETAILS, sample, ''), body: '--b\n\nx\r\n--b--\n' }

  const { body } = toRequest(DETAILS, form, { site: SITE, credentials: [] })

  expect(body).toBe('--b\r\n\r\nx\r\n--b--\r\n')
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
