import { KeyParked } from '../projections/kit/views.ts';

/** One row that an operator has to look at keeps nobody else from being told. */
export async function unlessParked<Row>(reading: Promise<Row>): Promise<Row | 'parked'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof KeyParked) return 'parked';
    throw error;
  }
}
