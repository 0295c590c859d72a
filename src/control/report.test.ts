import { expect, test } from 'vitest'
import { openControl } from '../testing/control.ts'

/** The response with the report of a sandbox that has answered one request. */
async function getReport(query: string): Promise<Response> {
  const { sandbox, control } = openControl()
  await sandbox.fetch(new Request('http://localhost/v1/pets'))
  const request = new Request(`http://localhost/__sandbox/report?${query}`)
  return control.fetch(request, { address: '127.0.0.1' })
}

test.each([
  ['json', 'application/json', /^\{"\$schema":/],
  ['html', 'text/html; charset=utf-8', /^<!doctype html>/i],
  ['junit', 'application/xml', /^<\?xml version="1.0"/],
])('the report has the format %s', async (format, type, start) => {
  const response = await getReport(`format=${format}&plans=true`)

  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(type)
  expect(await response.text()).toMatch(start)
})

test('the page of a report is a file that runs nothing', async () => {
  const { headers } = await getReport('format=html')

  expect(headers.get('content-disposition')).toBe('attachment; filename="report.html"')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  )
})

test('an unknown format of the report is refused', async () => {
  const response = await getReport('format=pdf')

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ location: 'query.format' })
})
