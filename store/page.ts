/** Which part of a list is asked for; numbers from 1 on, already within the route's bounds. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

/** One page of a list and how many rows the whole list has. */
export interface Paged<T> {
  readonly rows: T[];
  readonly total: number;
}

/** Values of `limit` and `offset`, in this order. */
export const pageParameters = (page: Page): [number, number] => [
  page.perPage,
  (page.page - 1) * page.perPage,
];
