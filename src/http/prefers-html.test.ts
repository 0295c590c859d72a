import { expect, test } from 'vitest'
import { prefersHtml } from './prefers-html.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

test.each([
  BROWSER,
  'text/html',
  'text/html, */*; q=0.01',
  'TEXT/HTML;charset=utf-8',
  'text/*',
  'text/html;q=0.5, application/json;q=0.4',
  'text/html; Q=1.000, application/*; q=0.999',
  'application/json;q=0, text/html;q=0.1',
])('HTML is preferred by Accept: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(true)
})

test.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html',
  'text/html, application/json',
  'text/html;q=0',
  'text/html;q=0, */*',
  'text/html;q=0.5, */*',
  'text/html;q=2',
  'text/plain',
  'image/*, */*;q=0.8',
  'text/htmlx',
])('HTML is not preferred by Accept: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(false)
})
