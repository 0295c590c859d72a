import { createClient } from 'pet-sandbox/client'

const sandbox = createClient('http://127.0.0.1:4010')

beforeEach(() => {
  cy.wrap(sandbox.reset())
})

it('shows how long it has to wait', () => {
  cy.wrap(sandbox.force('rate-limited', { times: 1, retryAfter: 30 }))
  cy.visit('/')
  cy.contains('30 seconds')
})
