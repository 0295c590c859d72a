import { expect, test } from 'vitest'
import { readOptions } from './report-view.tsx'

test.each([
  [{}, { plans: true, failOn: ['errors'] }],
  [{ failOn: 'warnings' }, { plans: true, failOn: ['warnings'] }],
  [{ failOn: 'toString' }, { plans: true, failOn: ['errors'] }],
  [{ minCoverage: '80' }, { plans: true, failOn: ['errors'], minCoverage: 80 }],
  [{ minCoverage: 'many' }, { plans: true, failOn: ['errors'] }],
  // The sandbox refuses it, and the page shows why.
  [{ minCoverage: '101' }, { plans: true, failOn: ['errors'], minCoverage: 101 }],
])('the settings %j are the options %j', (query, options) => {
  expect(readOptions(query).options).toEqual(options)
})
