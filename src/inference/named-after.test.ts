import { expect, test } from 'vitest'
import { isNamedAfter } from './named-after.ts'

test.each<[property: string, path: string, parameter: string]>([
  ['policyId', '/life-insurance-policies', 'id'],
  ['insurancePolicyId', '/LifeInsurancePolicies', 'id'],
  ['stateProvinceId', '/StatesProvinces', 'id'],
  ['accountHoldingId', '/accounts/{accountId}/holdings', 'id'],
  ['education_expense_id', '/education-goals/{goalId}/expenses', 'id'],
  ['template_id_master', '/master-templates', 'template_id'],
  ['receipt_rule_id', '/automations/receipts', 'rule_id'],
  ['branch_name', '/branch_rules', 'name'],
])('%s contains the id of the records below %s', (property, path, parameter) => {
  expect(isNamedAfter(property, { path, parameter })).toBe(true)
})

test.each<[property: string, path: string, parameter: string]>([
  ['accountId', '/accounts/{accountId}/holdings', 'id'],
  ['orderId', '/order-items', 'id'],
  ['branch_name', '/branch_rules', 'rule_id'],
  ['repo_name', '/repos/{repo}/mirrors', 'name'],
  ['ownerId', '/books', 'bookId'],
  ['holdingPrice', '/holdings', 'id'],
  ['id', '/holdings', 'id'],
])('%s contains no id of the records below %s', (property, path, parameter) => {
  expect(isNamedAfter(property, { path, parameter })).toBe(false)
})
