module example.com/try

go 1.25.0

require gopkg.in/validator.v2 v2.0.1
