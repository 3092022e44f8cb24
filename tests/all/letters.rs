//! Squares in letters, against each other and on every board.

use noughts::command::{Letters, RowOne};
use noughts::{Shape, Square};

#[test]
fn every_square_of_every_side_survives_its_letters() {
    // The letters depend on the column alone, the number on the row and the number of rows.
    for rows in 1..=1024_u16 {
        let shape = Shape::new(rows.into(), 1024, 1).unwrap();
        for row in 0..rows {
            let square = Square { row, col: (row + 7 * rows) % 1024 };
            for row_one in [RowOne::Bottom, RowOne::Top] {
                let name = Letters::of(square, shape, row_one).to_string();
                let read: Letters = name.parse().unwrap();
                assert_eq!(read.on(shape, row_one), Some(square), "{name} of {rows} rows");
            }
        }
    }
}

#[test]
fn letters_have_the_names_that_players_know() {
    let shape = |rows, cols| Shape::new(rows, cols, 1).unwrap();
    for (rows, cols, row, col, bottom, top) in [
        (15, 15, 7, 7, "h8", "h8"),
        (15, 15, 14, 0, "a1", "a15"),
        (19, 19, 0, 8, "i19", "i1"),
        (1, 1, 0, 0, "a1", "a1"),
        (30, 30, 0, 25, "z30", "z1"),
        (30, 30, 0, 26, "aa30", "aa1"),
        (1024, 1024, 1023, 1023, "amj1", "amj1024"),
        (1024, 1024, 0, 701, "zz1024", "zz1"),
        (1024, 1024, 0, 702, "aaa1024", "aaa1"),
    ] {
        let (shape, square) = (shape(rows, cols), Square { row, col });
        assert_eq!(Letters::of(square, shape, RowOne::Bottom).to_string(), bottom);
        assert_eq!(Letters::of(square, shape, RowOne::Top).to_string(), top);
    }
    for word in
        ["", "h", "8", "8h", "h8h", "h-1", "amk1", "zzzz1", "h 8", "h18446744073709551616", "é1"]
    {
        assert!(word.parse::<Letters>().is_err(), "{word}");
    }
    for word in ["h0", "h16", "p1", "H18446744073709551615"] {
        let letters: Letters = word.parse().unwrap();
        assert_eq!(letters.on(shape(15, 15), RowOne::Bottom), None, "{word}");
        assert_eq!(letters.on(shape(15, 15), RowOne::Top), None, "{word}");
    }
}
